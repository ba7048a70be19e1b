import type { LockBackend } from '../backend/lock-backend.js';
import { readWriteLockChannel } from '../keys/lock-name.js';
import type { LockEvents } from '../events/lock-events.js';
import type { OwnerIds } from '../context/ids.js';
import { LockAttempts } from '../waiting/lock-attempts.js';
import { QueuedAcquirer, type WaitDependencies } from '../waiting/queued-acquirer.js';
import { SharedLockAttempts } from '../waiting/shared-attempts.js';
import { WriterPreferenceAcquirer } from '../waiting/writer-preference.js';
import type { LockKind } from '../holds/lock-kind.js';

/** The halves of a read-write lock; and the same halves where waiting writers go before new readers. */
export type ReadWriteKinds = Readonly<Record<'read' | 'write' | 'readBehindWriters' | 'writeFirst', LockKind>>;

/** How the halves are held, and waited for: in a line for each half, as each half waits for something else. */
export const readWriteKinds = (
  { readLock, writeLock }: Pick<LockBackend, 'readLock' | 'writeLock'>,
  waiting: WaitDependencies,
  owners: OwnerIds,
  events: LockEvents,
): ReadWriteKinds => {
  const behindWriters: Pick<typeof readLock, 'acquire' | 'release'> = {
    acquire: (request) => readLock.acquire({ ...request, behindWriters: true }),
    release: (request) => readLock.release(request),
  };
  const reads = (locks: typeof behindWriters): LockKind => ({
    family: 'read',
    operations: readLock,
    renewsLeases: true,
    acquirer: new QueuedAcquirer(new SharedLockAttempts(locks, owners, events), waiting, readWriteLockChannel),
  });
  const writes = { family: 'write', operations: writeLock } as const;
  const line = new QueuedAcquirer(new LockAttempts(writeLock, owners, events), waiting, readWriteLockChannel);
  return {
    read: reads(readLock),
    write: { ...writes, acquirer: line },
    readBehindWriters: reads(behindWriters),
    writeFirst: { ...writes, acquirer: new WriterPreferenceAcquirer(writeLock, line, owners, events, waiting) },
  };
};
