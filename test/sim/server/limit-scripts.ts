import type { MemoryBackend } from '../../../lib/backend/memory/memory-backend.js';
import { scripts } from '../../../lib/backend/redis/scripts/scripts.generated.js';
import { lockBesideKey } from '../../../lib/keys/redisson-keys.js';
import { flagsOf, renewalsOf } from './renewals.js';
import type { ServerNow } from './lock-scripts.js';
import type { ScriptTable } from './script-table.js';

/** The name of a limit, from the key of its permits. */
const nameOf = (permits: string): string => lockBesideKey(permits) ?? permits;

/** The scripts of limits. */
export const defineLimits = (table: ScriptTable, { limit: limits }: MemoryBackend, now: ServerNow): void => {
  const { acquire, queue, keep, leave, hold, renew, release, forceRelease, inspect } = scripts.limit;
  table.define(acquire, async ({ permits }, { owner, lease, limit, notAfter }) => {
    if (now() > notAfter) return ['late', 0, '', now(), 0, 0];
    const reply = await limits.acquire({ name: nameOf(permits), owner, lease, limit });
    if (reply.outcome === 'reserved') return ['reserved', reply.remaining, reply.next, now(), 0, 0];
    const { inUse = 0, before = 0 } = reply.use ?? {};
    if (reply.outcome === 'acquired') return ['acquired', lease, '', now(), inUse, before];
    return ['busy', reply.remaining, reply.holder, now(), inUse, before];
  });
  table.define(queue, async ({ permits }, { owner, lease, limit, slot, notAfter }) => {
    if (now() > notAfter) return ['late', 0, '', now(), '', 0, 0];
    const reply = await limits.queue({ name: nameOf(permits), owner, lease, limit, slot });
    const { inUse = 0, before = 0 } = reply.use ?? {};
    if (reply.outcome === 'acquired') return ['acquired', lease, '', now(), '', inUse, before];
    return [reply.outcome, reply.remaining, reply.holder, now(), reply.head, inUse, before];
  });
  table.define(keep, async ({ permits }, { owners, slot }) => {
    const kept = await limits.keep({ name: nameOf(permits), owners: [owners].flat(), slot });
    return ['kept', now(), ...kept.map((isKept) => (isKept ? 1 : 0))];
  });
  table.define(leave, async ({ permits }, { owners }) => {
    await limits.leave({ name: nameOf(permits), owners: [owners].flat(), slot: 0, lease: 0 });
    return ['left', now()];
  });
  table.define(hold, async ({ permits }, { owner, lease, notAfter }) => {
    if (now() > notAfter) return ['late', now()];
    const { outcome } = await limits.hold({ name: nameOf(permits), owner, count: 1, lease });
    return [outcome, now()];
  });
  table.define(renew, async ({ sets }, { notAfter, holders }) => {
    if (now() > notAfter) return ['late', now()];
    const { held } = await limits.renew(renewalsOf([sets].flat().map(nameOf), holders, 2));
    return ['renewed', now(), ...flagsOf(held)];
  });
  table.define(release, async ({ permits }, { owner }) => {
    const { outcome } = await limits.release({ name: nameOf(permits), owner, lease: 0 });
    return [outcome === 'released' ? outcome : 'not-held', now()];
  });
  table.define(forceRelease, async ({ permits }, { notAfter }) => {
    if (now() > notAfter) return ['late', '', now()];
    return [(await limits.forceRelease({ name: nameOf(permits) })) ? 'released' : 'not-held', '', now()];
  });
  table.define(inspect, async ({ permits }, { owner }) => {
    const { locked, count, remaining } = await limits.inspect(nameOf(permits), owner === '' ? undefined : owner);
    return [locked ? 'locked' : 'free', '', count, remaining];
  });
};
