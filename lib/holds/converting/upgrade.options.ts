import { LockLostError, LockOptionsError, LockOwnershipError } from '../../errors.js';
import { type Duration, parseLease } from '../../time/duration.js';
import { namesOf, parseOptions } from '../../validation/options.js';

/** Options for upgrading a hold, and for downgrading it. */
export interface UpgradeOptions {
  /**
   * The lease of the new hold, ms or such as `'30s'`; it is not renewed then. Absent: the new hold lasts as the one before
   * would have, whether that had a lease or is renewed by the watchdog.
   */
  readonly lease?: Duration | undefined;
}

const OPTIONS = namesOf<UpgradeOptions>()('lease');

/** How a hold changes to the other half of its lock. */
export type ConversionName = 'tryUpgrade' | 'downgrade';

/** @throws LockOptionsError that names option and value. */
export const parseUpgrade = (options: UpgradeOptions | undefined, of: ConversionName): number | undefined => {
  const { lease } = parseOptions(options, OPTIONS, { of });
  return lease === undefined ? undefined : parseLease(lease, 'lease');
};

const DONE = { tryUpgrade: 'upgraded', downgrade: 'downgraded' } as const;
const HALF = { tryUpgrade: 'read', downgrade: 'write' } as const;

/** The error for a hold of another kind of lock, or of the other half. */
export const cannotBeConverted = (name: string, how: ConversionName): LockOptionsError =>
  new LockOptionsError(
    `The hold of lock "${name}" cannot be ${DONE[how]}: only a hold of the ${HALF[how]} lock of getReadWriteLock() can`,
    { lockName: name, details: { option: how } },
  );

interface Owned {
  readonly name: string;
  readonly owner: string;
}

/** The error for a hold whose owner has others of the same half: they would end with it. */
export const hasOtherHolds = ({ name, owner }: Owned, how: ConversionName): LockOwnershipError =>
  new LockOwnershipError(
    `The hold of lock "${name}" cannot be ${DONE[how]}, because its owner ${owner} has other holds of it: release those first`,
    { lockName: name, details: { owner } },
  );

/** The error for a hold whose upgrade or downgrade is in flight, for so long that it may have ended. */
export const mayHaveEnded = ({ name, owner }: Owned): LockLostError =>
  new LockLostError(
    `Lock "${name}" is being upgraded, downgraded or detached, so the hold of ${owner} may have ended: wait for what comes of it`,
    { lockName: name, details: { owner } },
  );

/** The error for a reader that writes as well. */
export const writesAlready = ({ name, owner }: Owned): LockOwnershipError =>
  new LockOwnershipError(
    `The hold of lock "${name}" cannot be upgraded, because its owner ${owner} holds the write lock as well: use that hold`,
    { lockName: name, details: { owner } },
  );
