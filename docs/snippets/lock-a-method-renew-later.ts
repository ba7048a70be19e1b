import { setTimeout as pause } from 'node:timers/promises';
import { type LockService, lockName } from 'nest-redis-lock';

interface Source {
  download(file: string, signal: AbortSignal): Promise<readonly string[]>;
  save(row: string): Promise<void>;
}

export const importFile = (locks: LockService, file: string, source: Source): Promise<void> =>
  locks.withLock(lockName`import:${file}`, { lease: '30s' }, async (hold) => {
    const rows = await source.download(file, hold.signal); // one that hangs loses the lock
    await hold.extend({ renew: true, maxHold: '1h' });
    for (const row of rows) {
      while (hold.state === 'suspended') await pause(100); // Redis cannot be reached for now
      hold.assertHeld();
      await source.save(row);
    }
  });
