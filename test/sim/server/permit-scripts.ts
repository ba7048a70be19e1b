import { counterTable } from '../../../lib/backend/memory/counters.js';
import type { MemoryBackend } from '../../../lib/backend/memory/memory-backend.js';
import { deadlineTable } from '../../../lib/backend/memory/permits.js';
import { scripts } from '../../../lib/backend/redis/scripts/scripts.generated.js';
import type { PermitIds } from '../../../lib/context/permit-ids.js';
import type { ServerNow } from './lock-scripts.js';
import { flagsOf, renewalsOf } from './renewals.js';
import type { ScriptTable } from './script-table.js';
import type { SimulatedStore } from './simulated-store.js';
import { permitDeadlines } from '../../../lib/keys/redisson-keys.js';

const idsOf = (ids: string | number | readonly (string | number)[]): PermitIds => {
  const [first = '', ...others] = [ids].flat().map(String);
  return [first, ...others];
};

/** Scripts encode an infinite lease as a number below zero. */
const leaseOf = (lease: number): number => (lease < 0 ? Number.POSITIVE_INFINITY : lease);

/** The scripts of permits with ids and leases. */
export const definePermits = (
  table: ScriptTable,
  store: SimulatedStore,
  { permitExpirableSemaphore: pool }: MemoryBackend,
  now: ServerNow,
): void => {
  const counts = counterTable(store);
  const { acquire, release, releaseAll, updateLease, renew, lease, inspect } = scripts.permits;
  table.define(acquire, async ({ permits }, { ids, lease: ms, notAfter }) => {
    if (now() > notAfter) return ['late', '', now(), 0, 0];
    const reply = await pool.acquire({ name: permits, ids: idsOf(ids), lease: leaseOf(ms) });
    if (reply.outcome === 'acquired') return ['acquired', '', now(), counts.find(permits) ?? 0, 0];
    return [reply.isSet ? 'busy' : 'not-set', '', now(), reply.available, reply.remaining];
  });
  table.define(release, async ({ permits }, { id }) => [await pool.release(permits, id), '', now()]);
  table.define(releaseAll, async ({ permits }, { ids }) => {
    const wanted = idsOf(ids);
    const out = deadlineTable(store).find(permitDeadlines(permits));
    const found = wanted.filter((id) => out?.has(id)).length;
    const outcome = await pool.releaseAll(permits, wanted);
    return [outcome, '', now(), outcome === 'released' ? 0 : found];
  });
  table.define(updateLease, async ({ permits }, { id, lease: ms, notAfter }) => {
    if (now() > notAfter) return ['late', '', now()];
    const { outcome } = await pool.updateLease(permits, id, leaseOf(ms));
    return [outcome, '', now()];
  });
  table.define(renew, async ({ sets }, { notAfter, holders }) => {
    if (now() > notAfter) return ['late', now()];
    const names = [sets].flat().map((deadlines) => deadlines.replace(/^\{(.*)\}:timeout$/, '$1'));
    const { held } = await pool.renew(renewalsOf(names, holders, 2));
    return ['renewed', now(), ...flagsOf(held)];
  });
  table.define(lease, async ({ permits }, { id }) => {
    const ms = await pool.lease(permits, id);
    return ms === undefined ? ['not-held', '', 0] : ['held', '', Number.isFinite(ms) ? ms : -1];
  });
  table.define(inspect, async ({ permits }) => {
    const { isSet, available, out } = await pool.inspect(permits);
    return [isSet ? 'set' : 'unset', '', available, out];
  });
};
