import type { ConversionOutcome, ConversionRequest } from '../../backend/kinds/read-write/conversion.js';
import { Stopwatch } from '../../time/scheduler.js';
import { LeaseCommand } from '../../watchdog/lease.js';
import { Grant } from '../grant.js';
import { tellBegin } from '../hold-events.js';
import type { CountedHold } from '../grant-holds.js';
import type { HoldTerm } from '../seat.js';
import type { Converting } from '../lock-kind.js';
import { type ConversionName, hasOtherHolds, writesAlready } from './upgrade.options.js';

/** A hold that is to change to the other half of its lock. */
export interface ConvertedHold {
  readonly hold: CountedHold;
  readonly grant: Grant;
  readonly converting: Converting;
  /** Milliseconds; `undefined`: the new hold lasts as the one before. */
  readonly lease: number | undefined;
  /** Called just before the request is sent, which limits how long the hold is certain. */
  readonly onSent: (command: LeaseCommand) => void;
  /** Makes the hold that goes on, of a grant to a new owner. */
  readonly goOn: (next: Grant) => CountedHold;
}

/** The request for a hold, and how long the hold that comes of it lasts. */
interface Asked {
  readonly request: ConversionRequest;
  readonly term: HoldTerm;
}

/**
 * Makes a reader the writer, as a new owner.
 * @returns Whether it writes; false: other owners read, so nothing was changed.
 * @throws LockLostError, LockOwnershipError, LockUnavailableError
 */
export const upgradeGrant = (converted: ConvertedHold): Promise<boolean> => {
  const { grant, converting, onSent } = converted;
  return grant.betweenCommands(async () => {
    const asked = ask(converted, 'tryUpgrade');
    const { request } = asked;
    // The reader may go on for as long as the server keeps the lock in either case.
    onSent(new LeaseCommand(new Stopwatch(grant.runtime.scheduler), request.lease));
    const reply = await converting.operations.upgrade(request);
    if (reply.outcome === 'others') return false;
    if (reply.outcome === 'writes') throw writesAlready(grant);
    passOn(converted, asked, reply);
    return true;
  });
};

/**
 * Makes the writer a reader, as a new owner.
 * @throws LockLostError, LockOwnershipError, LockUnavailableError
 */
export const downgradeGrant = (converted: ConvertedHold): Promise<void> => {
  const { grant, converting, onSent } = converted;
  return grant.betweenCommands(async () => {
    const asked = ask(converted, 'downgrade');
    // From now on others may read, so the writer has to stop.
    onSent(new LeaseCommand(new Stopwatch(grant.runtime.scheduler), 0));
    passOn(converted, asked, await converting.operations.downgrade(asked.request));
  });
};

const ask = ({ hold, grant, converting, lease }: ConvertedHold, how: ConversionName): Asked => {
  const { name, owner: from, holds, neededLease } = grant;
  if (holds.count > 1) throw hasOtherHolds(grant, how);
  hold.assertHeld();
  const before = lease === undefined ? holds.get(hold) : undefined;
  return {
    request: {
      name,
      from,
      to: converting.owners.next(),
      lease: lease === undefined ? neededLease : Math.max(lease, holds.minHoldLeft),
    },
    term: before ?? holds.termOf(lease),
  };
};

/** Ends the grant, and begins that of the new owner. */
const passOn = (
  { grant, converting, goOn }: ConvertedHold,
  { request: { to: owner, lease }, term }: Asked,
  reply: ConversionOutcome,
): void => {
  const { runtime, name, origin, place, holds } = grant;
  if (reply.outcome !== 'held') {
    grant.onLost(reply.outcome === 'lost' ? 'gone' : 'unconfirmed');
    throw reply.outcome === 'lost' ? grant.lossError() : reply.reason;
  }
  const wasLost = grant.isLost;
  const kind = converting.otherHalf();
  const acquired = { owner, sent: reply.sent, lease, fence: undefined };
  const next = new Grant(runtime, kind, name, acquired, origin, place?.inHalf(kind.family));
  next.holds.follow(holds);
  next.takeSignalOf(grant);
  const hold = goOn(next);
  next.addFirstHold(hold, lease, term);
  grant.endWithoutCommand('converted');
  tellBegin(next);
  next.place?.put(next);
  // Its holder was told to stop meanwhile, and may have: a hold that was lost does not come back.
  if (!wasLost) return;
  void hold[Symbol.asyncDispose]();
  throw grant.lossError();
};
