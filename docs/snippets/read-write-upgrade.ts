import type { LockService } from 'nest-redis-lock';

interface Index {
  isComplete(): Promise<boolean>;
  complete(signal: AbortSignal): Promise<void>;
  report(): Promise<void>;
}

/** Returns false if others read at the moment, so that the index could not be completed. */
export const completeIndex = (locks: LockService, index: Index): Promise<boolean> =>
  locks
    .getReadWriteLock('index')
    .readLock()
    .withLock(async (reading) => {
      if (await index.isComplete()) return true;
      const writing = await reading.tryUpgrade(); // null at once if others read
      if (!writing) return false;
      await index.complete(writing.signal);
      await writing.downgrade(); // lets readers in, and no writer
      await index.report();
      return true;
    });
