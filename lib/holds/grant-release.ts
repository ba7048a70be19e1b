import type { ReleaseOutcome } from '../backend/lock-operations.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import { tellHandOver, tellRelease, type ToldHold } from './hold-events.js';
import type { HoldRelease } from './hold.js';
import type { GrantLoss } from './grant-state.js';

/** A grant whose last hold has left. */
interface EndingGrant extends ToldHold {
  readonly runtime: ToldHold['runtime'] & {
    readonly watchdog: { readonly timeout: number };
    readonly grants: { delete(grant: EndingGrant): void };
  };
  readonly loss: GrantLoss | undefined;
  readonly lease: { readonly remainingOnServer: number };
  /** `minHoldLeft`: milliseconds for which the server has to keep it. */
  readonly holds: { readonly minHoldLeft: number };
  onLost(how: GrantLoss): void;
}

/**
 * Ends a grant whose last hold has left: keeps the lock until the minimum hold time is over, hands it over to a waiter
 * of this process, or releases it on the server.
 *
 * On the hot path, see docs/architecture.md#hot-path: hence two-armed `then` instead of `await`.
 *
 * @param untouched What the server granted, if nothing has changed since; only this can be handed over.
 * @throws LockUnavailableError if the server did not confirm.
 */
export const releaseGrant = (grant: EndingGrant, untouched: Acquired | undefined): Promise<HoldRelease> => {
  if (grant.loss === 'gone') return Promise.resolve(ended(grant, 'expired'));
  const keep = grant.holds.minHoldLeft;
  if (keep > 0) return keepOnServer(grant, keep);
  if (untouched && grant.kind.handOver?.handOver(grant.name, untouched)) {
    tellHandOver(grant, 'process');
    return Promise.resolve(ended(grant, 'released'));
  }
  return releaseOnServer(grant);
};

/**
 * Keeps the lock held on the server for the rest of the minimum hold time, with no owner left to release it.
 * @param keep Milliseconds from now.
 */
const keepOnServer = (grant: EndingGrant, keep: number): Promise<HoldRelease> => {
  const { name, owner, kind } = grant;
  const { operations, silent } = kind;
  return operations.leaveBehind({ name, owner, lease: serverMayKeepFor(grant), silent, keep }).then(
    (wasHeld) => {
      if (wasHeld) tellRelease(grant, 'kept');
      else grant.onLost('gone');
      return ended(grant, 'still-held');
    },
    (error: unknown) => {
      unconfirmed(grant);
      throw error;
    },
  );
};

const releaseOnServer = (grant: EndingGrant): Promise<HoldRelease> => {
  const { name, owner, kind } = grant;
  const { handOver, operations, silent } = kind;
  const again = handOver?.beforeRelease(name);
  return operations.release({ name, owner, lease: serverMayKeepFor(grant), silent, again }).then(
    (reply) => {
      handOver?.afterRelease(name, reply, again);
      tell(grant, reply);
      return ended(grant, 'released');
    },
    (error: unknown) => {
      handOver?.afterRelease(name, undefined, again);
      unconfirmed(grant);
      throw error;
    },
  );
};

const tell = (grant: EndingGrant, { outcome }: ReleaseOutcome): void => {
  if (outcome === 'not-held') grant.onLost('gone');
  else if (outcome === 'passed-on' || outcome === 'kept') tellHandOver(grant, 'server');
  else tellRelease(grant, 'released');
};

const unconfirmed = (grant: EndingGrant): void => {
  tellRelease(grant, 'unconfirmed');
  deregister(grant);
};

/** Milliseconds after which the server has certainly dropped the lock if no further command is sent. */
const serverMayKeepFor = ({ lease, runtime }: EndingGrant): number =>
  Math.max(lease.remainingOnServer, runtime.watchdog.timeout);

/** @param release The result, unless the grant was lost. */
const ended = (grant: EndingGrant, release: HoldRelease): HoldRelease => {
  deregister(grant);
  return grant.loss ? 'expired' : release;
};

const deregister = (grant: EndingGrant): void => grant.runtime.grants.delete(grant);
