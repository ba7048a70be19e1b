import { type LockService, lockName } from 'nest-redis-lock';

type Read = (file: string, signal: AbortSignal) => Promise<void>;

export const importFile = (locks: LockService, file: string, read: Read): Promise<void> =>
  locks.withLock(lockName`import:${file}`, { wait: '1m' }, (hold) => read(file, hold.signal));

export const importIfFree = async (locks: LockService, file: string, read: Read): Promise<boolean> => {
  await using hold = await locks.tryAcquire(lockName`import:${file}`);
  if (!hold) return false; // another owner has it
  await read(file, hold.signal);
  return true; // released here, and after an error
};
