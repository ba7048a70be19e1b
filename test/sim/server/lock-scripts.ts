import type { MemoryBackend } from '../../../lib/backend/memory/memory-backend.js';
import type { AcquireOutcome, LockOperations } from '../../../lib/backend/lock-operations.js';
import type { WaitingEntry } from '../../../lib/backend/waiting-entry.js';
import { scripts } from '../../../lib/backend/redis/scripts/scripts.generated.js';
import { flagsOf, renewalsOf } from './renewals.js';
import type { ScriptTable } from './script-table.js';

/** The server's clock in whole milliseconds, as Redis has it. */
export type ServerNow = () => number;

interface HoldTerms {
  readonly owner: string;
  readonly count: number;
  readonly lease: number;
  readonly notAfter: number;
  readonly entries?: string;
}

type AcquireWords = [outcome: 'acquired' | 'busy', remaining: number, detail: string, now: number];

const holderIn = (reply: Exclude<AcquireOutcome, { outcome: 'acquired' }>): string =>
  reply.outcome === 'busy' ? reply.holder : reply.next;

const acquireReply = (reply: AcquireOutcome, lease: number, now: number): AcquireWords =>
  reply.outcome === 'acquired' ? ['acquired', lease, '', now] : ['busy', reply.remaining, holderIn(reply), now];

/** A waiting entry, as the scripts get it. */
const parseEntry = (text: string): WaitingEntry => {
  const [owner = '', lease, firstLease] = text.split(' ');
  return { owner, lease: Number(lease), firstLease: Number(firstLease) };
};

/** What the scripts that hold locks of one kind do. A lock with `entries` is silent. */
export const holding =
  (locks: Pick<LockOperations, 'hold'>, now: ServerNow) =>
  async (
    { lock: name }: { readonly lock: string },
    { notAfter, entries = '', ...terms }: HoldTerms,
  ): Promise<[outcome: 'held' | 'lost' | 'late', now: number]> => {
    if (now() > notAfter) return ['late', now()];
    const { owner, count, lease } = terms;
    const { outcome } = await locks.hold({ name, owner, count, lease, silent: entries !== '' });
    return [outcome, now()];
  };

/** The transitions that every kind of lock has, under the scripts of one kind. */
const defineCommon = (
  table: ScriptTable,
  now: ServerNow,
  locks: LockOperations,
  kind: typeof scripts.lock | typeof scripts.readLock | typeof scripts.writeLock,
  stride: number,
): void => {
  table.define(kind.renew, async ({ locks: names }, { notAfter, holders }) => {
    if (now() > notAfter) return ['late', now()];
    const { held } = await locks.renew(renewalsOf(names, holders, stride));
    return ['renewed', now(), ...flagsOf(held)];
  });
  table.define(kind.inspect, async ({ lock }, { owner }) => {
    const { locked, count, remaining } = await locks.inspect(lock, owner === '' ? undefined : owner);
    return [locked ? 'locked' : 'free', '', count, remaining];
  });
};

/** The scripts of plain, spin, fenced, read and write locks. */
export const defineLocks = (table: ScriptTable, backend: MemoryBackend, now: ServerNow): void => {
  const { lock, fencedLock, readLock, writeLock } = backend;
  defineCommon(table, now, lock, scripts.lock, 2);
  defineCommon(table, now, readLock, scripts.readLock, 3);
  defineCommon(table, now, writeLock, scripts.writeLock, 3);
  table.define(scripts.lock.hold, holding(lock, now));
  table.define(scripts.readLock.hold, holding(readLock, now));
  table.define(scripts.writeLock.hold, holding(writeLock, now));

  table.define(scripts.lock.acquire, async (keys, { owner, lease, notAfter }) => {
    if (now() > notAfter) return ['late', 0, '', now()];
    const reply = await lock.acquire({ name: keys.lock, owner, lease });
    if (reply.outcome === 'acquired') return [lease, now()];
    return ['busy', reply.remaining, holderIn(reply), now()];
  });
  table.define(scripts.lock.release, async (keys, { owner, publish, again }) => {
    const carried = again === '' ? undefined : { ...parseEntry(again), onSettled: () => {} };
    const request = { name: keys.lock, owner, lease: 0, again: carried };
    // Only a silent release comes without a command that publishes.
    const reply = await lock.release({ ...request, silent: publish === '' });
    return reply.outcome === 'released' ? [reply.heard ?? 0, reply.asking ?? 0, 'released'] : [reply.outcome, now()];
  });
  table.define(scripts.lock.wait, async (keys, { lease, entry, isNew, notAfter }) => {
    if (now() > notAfter) return ['late', 0, '', now()];
    const reply = await lock.wait({ name: keys.lock, entry: parseEntry(entry), isNew: isNew === 1 });
    if (reply.outcome === 'acquired') return [lease, now()];
    return reply.outcome === 'gone' ? ['gone', 0, '', now()] : ['busy', reply.remaining, holderIn(reply), now()];
  });
  table.define(scripts.lock.withdraw, async (keys, { entry }) => {
    lock.withdraw(keys.lock, parseEntry(entry));
    return ['withdrawn', now()];
  });
  for (const how of ['detach', 'attach'] as const) {
    table.define(scripts.lock[how], async (keys, { from, to, lease, notAfter, entries }) => {
      if (now() > notAfter) return ['late', now()];
      const kind = entries === '' ? 'plain' : 'spin';
      const { outcome } = await backend.takeOver[how]({ name: keys.lock, from, to, lease, kind });
      return [outcome, now()];
    });
    table.define(scripts.fairLock[how], async (keys, { from, to, lease, notAfter }) => {
      if (now() > notAfter) return ['late', now()];
      const { outcome } = await backend.takeOver[how]({ name: keys.lock, from, to, lease, kind: 'fair' });
      return [outcome, now()];
    });
  }
  table.define(scripts.fencedLock.acquire, async (keys, { owner, lease, notAfter }) => {
    if (now() > notAfter) return ['late', 0, '', now(), ''];
    const reply = await fencedLock.acquire({ name: keys.lock, owner, lease });
    const fence = reply.outcome === 'acquired' ? String(reply.fence ?? '') : '';
    return [...acquireReply(reply, lease, now()), fence];
  });
  table.define(scripts.readLock.acquire, async (keys, { owner, lease, behindWriters, notAfter }) => {
    if (now() > notAfter) return ['late', 0, '', now()];
    const request = { name: keys.lock, owner, lease, behindWriters: behindWriters === 1 };
    const reply = await readLock.acquire(request);
    if (reply.outcome === 'reserved') return ['kept-out', reply.remaining, reply.next, now()];
    return acquireReply(reply, lease, now());
  });
  table.define(scripts.readLock.release, async (keys, { owner, notAfter }) => {
    if (now() > notAfter) return ['late', now()];
    const { outcome } = await readLock.release({ name: keys.lock, owner, lease: 0 });
    return [outcome, now()];
  });
  table.define(scripts.writeLock.acquire, async (keys, { owner, lease, waiter, slot, notAfter }) => {
    if (now() > notAfter) return ['late', 0, '', now()];
    const waiting = waiter === '' ? undefined : { id: waiter, slot };
    const reply = await writeLock.acquire({ name: keys.lock, owner, lease, ...(waiting && { waiting }) });
    return acquireReply(reply, lease, now());
  });
  table.define(scripts.writeLock.release, async (keys, { owner }) => {
    const { outcome } = await writeLock.release({ name: keys.lock, owner, lease: 0 });
    return [outcome, now()];
  });
  table.define(scripts.readLock.upgrade, async (keys, { from, to, lease, notAfter }) => {
    if (now() > notAfter) return ['late', 0, now()];
    const reply = await backend.conversion.upgrade({ name: keys.lock, from, to, lease });
    return [reply.outcome, reply.outcome === 'others' ? reply.readers : 0, now()];
  });
  table.define(scripts.writeLock.downgrade, async (keys, { from, to, lease, notAfter }) => {
    if (now() > notAfter) return ['late', now()];
    const { outcome } = await backend.conversion.downgrade({ name: keys.lock, from, to, lease });
    return [outcome, now()];
  });
  table.define(scripts.writeLock.announce, async (keys, { waiter, slot, notAfter }) => {
    if (now() > notAfter) return ['late', now()];
    await writeLock.announce(keys.lock, { id: waiter, slot });
    return ['announced', now()];
  });
  table.define(scripts.writeLock.withdraw, async (_keys, { lock: name, waiter }) => {
    await writeLock.withdraw(name, { id: waiter, slot: 0 });
    return ['withdrawn', now()];
  });
};
