import type { LockBackend } from '../../backend/lock-backend.js';
import type { InFlight } from '../../concurrency.js';
import type { OwnerIds } from '../../context/owner-ids.js';
import { LockLostError } from '../../errors.js';
import { checkLease } from '../../waiting/acquire.options.js';
import { Grant, type GrantServices } from '../grant.js';
import { GrantedHold } from '../granted-hold.js';
import { tellBegin } from '../hold-events.js';
import type { LockKind } from '../lock-kind.js';
import { type DetachableKind, type DetachedHold, ownerOfSecret } from './hold-token.js';

interface AttachServices extends GrantServices {
  readonly owners: OwnerIds;
  readonly shutdown: AbortSignal;
  /** Attachments in flight: a shutdown waits for them, since what they attach has to be released. */
  readonly attaching: InFlight;
  readonly kinds: Readonly<Record<DetachableKind, LockKind>>;
  readonly backend: { readonly takeOver: LockBackend['takeOver'] };
}

/**
 * Goes on with a detached hold, as a new owner.
 * @param lease Milliseconds; `undefined`: the watchdog renews it.
 * @throws LockLostError if it was attached before, or its lease is over; LockShutdownError, LockUnavailableError
 */
export const attach = async (
  runtime: AttachServices,
  detached: DetachedHold,
  lease: number | undefined,
): Promise<GrantedHold> => {
  checkLease(lease, runtime.defaults);
  runtime.shutdown.throwIfAborted();
  const acquiredAt = runtime.grants.callerPlaces.find(runtime.scheduler.now());
  return runtime.attaching.add(takeOver(runtime, detached, lease, acquiredAt));
};

const takeOver = async (
  runtime: AttachServices,
  { kind, name, secret, fence }: DetachedHold,
  lease: number | undefined,
  acquiredAt: string | undefined,
): Promise<GrantedHold> => {
  const [owner, first] = [runtime.owners.next(), lease ?? runtime.watchdog.timeout];
  const request = { kind, name, from: ownerOfSecret(secret), to: owner, lease: first };
  const reply = await runtime.backend.takeOver.attach(request);
  if (reply.outcome === 'lost') {
    const why = 'it was attached before, or the time for that is over';
    throw new LockLostError(`The token of lock "${name}" cannot be attached: ${why}`, { lockName: name });
  }
  const grant = new Grant(runtime, runtime.kinds[kind], name, { owner, sent: reply.sent, lease: first, fence });
  const hold = new GrantedHold(grant, 'manual', 0, acquiredAt);
  grant.addFirstHold(hold, lease);
  tellBegin(grant);
  if (!runtime.shutdown.aborted) return hold;
  await hold.releaseQuietly();
  throw runtime.shutdown.reason;
};
