import { MemoryTable } from '../../../lib/backend/memory/memory-store.js';
import type { StoredResult } from '../../../lib/backend/result-store.js';
import { lockTable } from '../../../lib/backend/memory/lock.js';
import { scripts } from '../../../lib/backend/redis/scripts/scripts.generated.js';
import type { ServerNow } from './lock-scripts.js';
import type { ScriptTable } from './script-table.js';
import type { SimulatedStore } from './simulated-store.js';

/** The scripts of results that several callers share. */
export const defineFlights = (table: ScriptTable, store: SimulatedStore, now: ServerNow): void => {
  const results = new MemoryTable<StoredResult>(store, 'string of a result');
  const locks = lockTable(store);
  const { find, land } = scripts.singleFlight;
  table.define(find, async ({ result }) => {
    const landed = results.get(result);
    return landed ? ['landed', landed.text, landed.savedAt, now()] : ['none', '', 0, now()];
  });
  table.define(land, async ({ lock, result }, { owner, keep, notAfter, text }) => {
    if (now() > notAfter) return ['late', '', now()];
    if (locks.find(lock)?.owner !== owner) return ['lost', '', now()];
    results.set(result, { text, savedAt: now() }, keep);
    return ['kept', '', now()];
  });
};
