import type { MemoryBackend } from '../../../lib/backend/memory/memory-backend.js';
import { scripts } from '../../../lib/backend/redis/scripts/scripts.generated.js';
import type { ServerNow } from './lock-scripts.js';
import type { ScriptTable } from './script-table.js';

/** The name of a lock, from the key of the records beside it. */
const nameOf = (blocked: string): string => blocked.replace(/:blocked$/, '').replace(/^\{(.*)\}$/, '$1');

/** The scripts of records of blocked holds. */
export const defineDeadlocks = (table: ScriptTable, { blockedHolds }: MemoryBackend, now: ServerNow): void => {
  const { keep, drop, find } = scripts.deadlock;
  table.define(keep, async ({ blocked }, { text, ms }) => {
    await blockedHolds.keep(nameOf(blocked), text, ms);
    return ['kept', now()];
  });
  table.define(drop, async ({ blocked }, { text }) => {
    await blockedHolds.drop(nameOf(blocked), text);
    return ['dropped', now()];
  });
  table.define(find, async ({ blocked }) => {
    const found = await blockedHolds.find(nameOf(blocked));
    return ['found', now(), ...found.flatMap(({ text, end }) => [text, String(end)])];
  });
};
