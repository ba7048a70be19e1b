import { LockLostError } from '../errors.js';
import type { OwnerId } from '../context/owner-ids.js';
import type { LossReason } from '../watchdog/lease.js';
import type { LockFamily } from './lock-kind.js';

const TEXTS: Readonly<Record<LossReason, string>> = {
  'lease-over': 'its lease ended before it was renewed or released',
  'held-too-long': 'it was held for longer than maxHold, and the watchdog stopped renewing it',
  gone: 'the server no longer has it, because it expired, was deleted or was force-released',
};

const GONE_FROM_QUORUM =
  'no quorum of the servers has it now, because it expired, was deleted or was force-released there';

/** The cause of a loss, in words. */
export const lossText = (reason: LossReason, family: LockFamily): string =>
  reason === 'gone' && family === 'quorum' ? GONE_FROM_QUORUM : TEXTS[reason];

const WATCHED_BUT_OVER =
  'no renewal was confirmed in time: check for failed renewals, a blocked event loop or a suspended process, or raise watchdogTimeout';

const REMEDIES: Readonly<Record<LossReason, string>> = {
  'lease-over': 'omit lease, so that the watchdog renews the hold, or make the lease longer than the work takes',
  'held-too-long': 'shorten the work, or raise maxHold',
  gone: 'check for forceRelease(), DEL or FLUSHDB by others, and for a restart or a fail-over of Redis',
};

/** How to avoid the loss, in words. @param isWatched Whether the watchdog renewed the hold. */
export const lossRemedy = (reason: LossReason, isWatched: boolean): string =>
  reason === 'lease-over' && isWatched ? WATCHED_BUT_OVER : REMEDIES[reason];

/** @param reason Absent if the lock was released rather than lost. */
export const lossError = (
  name: string,
  owner: OwnerId,
  family: LockFamily,
  reason: LossReason | undefined,
): LockLostError => {
  const why = reason ? lossText(reason, family) : 'it was already released';
  return new LockLostError(`Lock "${name}" is no longer held by ${owner}: ${why}; stop, another owner may hold it`, {
    lockName: name,
    details: { owner, reason },
  });
};
