import type { LockOperations } from '../backend/lock-operations.js';
import { LockUnavailableError } from '../errors.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import type { Grant } from '../holds/grant.js';

/**
 * Lets an owner read that writes: for the server both are one owner. Where that fails, whatever it may have left is taken
 * back in the background, unless the owner wants to read after all.
 * @param reads The transitions of the read half.
 * @returns `undefined` when it writes no more, because it released.
 * @throws LockLostError, LockUnavailableError
 */
export const readBeside = async (
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
    // Also where nothing was sent: the release of an earlier read, still open, was given up in favour of this one.
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
