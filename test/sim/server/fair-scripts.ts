import type { MemoryBackend } from '../../../lib/backend/memory/memory-backend.js';
import { scripts } from '../../../lib/backend/redis/scripts/scripts.generated.js';
import { holding, type ServerNow } from './lock-scripts.js';
import type { ScriptTable } from './script-table.js';

/** The scripts of fair locks; those they share with plain locks are defined there. */
export const defineFairLocks = (table: ScriptTable, { fairLock }: MemoryBackend, now: ServerNow): void => {
  const { acquire, queue, keep, leave, release, hold } = scripts.fairLock;
  table.define(hold, holding(fairLock, now));
  table.define(acquire, async ({ lock }, { owner, lease, notAfter }) => {
    if (now() > notAfter) return ['late', 0, '', now(), ''];
    const reply = await fairLock.acquire({ name: lock, owner, lease });
    if (reply.outcome === 'acquired') return ['acquired', lease, '', now(), ''];
    if (reply.outcome === 'reserved') return ['reserved', reply.remaining, reply.next, now(), ''];
    return ['busy', reply.remaining, reply.holder ?? '', now(), ''];
  });
  table.define(queue, async ({ lock }, { owner, lease, slot, firstLease, notAfter }) => {
    if (now() > notAfter) return ['late', 0, '', now(), '', 0];
    const reply = await fairLock.queue({ name: lock, owner, lease, slot, firstLease });
    if (reply.outcome === 'acquired') return ['acquired', lease, '', now(), '', 0];
    return [reply.outcome, reply.remaining, reply.holder, now(), reply.head, reply.isMixed ? 1 : 0];
  });
  table.define(keep, async ({ lock }, { owners, slot }) => {
    const kept = await fairLock.keep({ name: lock, owners: [owners].flat(), slot });
    return ['kept', now(), ...kept.map((isKept) => (isKept ? 1 : 0))];
  });
  table.define(leave, async ({ lock }, { owners, slot }) => {
    await fairLock.leave({ name: lock, owners: [owners].flat(), slot, lease: 0 });
    return ['left', now()];
  });
  table.define(release, async ({ lock }, { owner }) => {
    const { outcome } = await fairLock.release({ name: lock, owner, lease: 0 });
    return [outcome, now()];
  });
};
