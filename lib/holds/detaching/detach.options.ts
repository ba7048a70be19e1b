import { shownOwner } from '../../context/chosen-owner.js';
import type { OwnerId } from '../../context/owner-ids.js';
import { LockOptionsError, LockOwnershipError } from '../../errors.js';
import { type Duration, parseLease } from '../../time/duration.js';
import { namesOf, parseOptions } from '../../validation/options.js';

/** Options for detaching a hold, and for attaching it. */
export interface DetachOptions {
  /**
   * In ms or such as `'30s'`. For `detach`: how long the token is good, by default the watchdog time-out. For `attach`:
   * the lease of the new hold; absent: it is renewed by the watchdog.
   */
  readonly lease?: Duration | undefined;
}

const OPTIONS = namesOf<DetachOptions>()('lease');

/** @throws LockOptionsError that names option and value. */
export const parseDetach = (options: DetachOptions | undefined, of: string): number | undefined => {
  const { lease } = parseOptions(options, OPTIONS, { of });
  return lease === undefined ? undefined : parseLease(lease, 'lease');
};

/** @param owner The owner that the application has chosen, if it has. */
export const cannotBeDetached = (name: string, owner?: OwnerId): LockOptionsError => {
  const why = owner
    ? `it belongs to ${shownOwner(owner)}, so extend or release it from anywhere by { name, owner }`
    : 'only plain, fair, fenced and spin locks can';
  return new LockOptionsError(`Lock "${name}" cannot be detached: ${why}`, {
    lockName: name,
    details: { option: 'detach' },
  });
};

export const notAlone = ({ name, owner }: { readonly name: string; readonly owner: OwnerId }): LockOwnershipError =>
  new LockOwnershipError(
    `Lock "${name}" cannot be detached: only a hold of acquire() can, and ${owner} must have no other hold of it`,
    { lockName: name, details: { owner } },
  );
