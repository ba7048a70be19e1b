import type { MemoryBackend } from '../../../lib/backend/memory/memory-backend.js';
import { scripts } from '../../../lib/backend/redis/scripts/scripts.generated.js';
import type { ServerNow } from './lock-scripts.js';
import type { ScriptTable } from './script-table.js';

/** The scripts that end another owner's hold. */
export const defineForceReleases = (table: ScriptTable, backend: MemoryBackend, now: ServerNow): void => {
  const kinds = [
    [scripts.lock.forceRelease, backend.lock],
    [scripts.fairLock.forceRelease, backend.fairLock],
    [scripts.readLock.forceRelease, backend.readLock],
    [scripts.writeLock.forceRelease, backend.writeLock],
  ] as const;
  for (const [script, locks] of kinds) {
    table.define(script, async ({ lock }, { notAfter, publish }) => {
      if (now() > notAfter) return ['late', '', now()];
      return [(await locks.forceRelease({ name: lock, silent: publish === '' })) ? 'released' : 'not-held', '', now()];
    });
  }
};
