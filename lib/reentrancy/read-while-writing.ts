import type { LockOperations } from '../backend/lock-operations.js';
import { LockConflictError, LockUnavailableError } from '../errors.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import type { Grant } from '../holds/grant.js';

/**
 * Acquires the read half for an owner that holds the write half: for the server both are one owner. If that fails,
 * whatever it may have acquired is released in the background, unless the owner reads after all.
 * @param reads The operations of the read half.
 * @returns `undefined` if the owner no longer writes, because it released.
 * @throws LockLostError, LockUnavailableError
 */
export const readWhileWriting = async (
  write: Grant,
  reads: Pick<LockOperations, 'hold' | 'release'>,
  lease: number,
): Promise<Acquired | undefined> => {
  if (!write.isJoinable) return undefined;
  write.assertHeld();
  const { name, owner, runtime } = write;
  try {
    const reply = await reads.hold({ name, owner, count: 1, lease });
    if (reply.outcome === 'held') return { owner, sent: reply.sent, lease, fence: undefined };
  } catch (error) {
    // Even if nothing was sent: this request has cancelled the pending background release of an earlier read.
    if (error instanceof LockUnavailableError) {
      reads
        .release({ name, owner, lease })
        .catch((failure: unknown) =>
          runtime.events.emit({ type: 'release-failed', lockName: name, owner, error: failure }),
        );
    }
    throw error;
  }
  if (!write.isJoinable) return undefined;
  write.lease.lose('gone');
  write.assertHeld();
  return undefined;
};

/** The error for a reader that wants to write: it would wait for itself, so it is refused at once. */
export const upgradeError = ({ name, owner }: Grant, template: string | undefined): LockConflictError =>
  new LockConflictError(
    `Lock "${name}" is held for reading by the caller itself (${owner}), so it would wait for itself: release the read lock first, take the write lock before reading, or call tryUpgrade() on its hold`,
    { lockName: name, template, details: { holder: owner } },
  );
