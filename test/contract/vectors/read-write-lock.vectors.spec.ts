import type { LockOperations } from '../../../lib/backend/lock-operations.js';
import { describeVectors, type Arguments, type Situation } from './run-vectors.js';
import { A1 } from './vector.js';

/** The hold count in a field of a hash. */
const countIn = ({ before }: Situation, name: string, field: string): number => {
  const value = before[name]?.value ?? {};
  return typeof value === 'object' && !Array.isArray(value)
    ? Number(Object.entries(value).find(([of]) => of === field)?.[1] ?? 0)
    : 0;
};

/**
 * Acquires as Redisson does, once more than before. Our commands give the number of holds, so the first hold and a
 * re-entry are different commands.
 */
const acquire = async (half: LockOperations, { name, holder: owner, lease }: Arguments, count: number) => {
  if (count > 1) {
    const { outcome } = await half.hold({ name, owner, lease, count });
    return outcome === 'held' ? 'acquired' : outcome;
  }
  const reply = await half.acquire({ name, owner, lease });
  return reply.outcome === 'busy' ? reply.remaining : reply.outcome;
};

/** Releases once, as Redisson does. Our command for a partial release gives the number of remaining holds. */
const release = async (half: LockOperations, { name, holder: owner, restoreLease }: Arguments, remaining: number) => {
  if (remaining > 0) {
    const { outcome } = await half.hold({ name, owner, lease: restoreLease, count: remaining });
    return outcome === 'held' ? 'partial' : outcome;
  }
  return (await half.release({ name, owner, lease: restoreLease })).outcome === 'released' ? 'final' : 'notOwner';
};

const timeout = (n: number): string => `{rw}:${A1}:rwlock_timeout:${n}`;

describeVectors(
  ['R', 'W'],
  {
    'rw.readAcquire': async ({ readLock }, args, situation) => {
      const { name, holder: owner, lease } = args;
      const reads = countIn(situation, name, owner);
      if (countIn(situation, name, `${owner}:write`) === 0) return acquire(readLock, args, reads + 1);
      const { outcome } = await readLock.hold({ name, owner, lease, count: reads + 1 });
      return outcome === 'held' ? 'acquired' : outcome;
    },
    'rw.readRelease': ({ readLock }, args, situation) =>
      release(readLock, args, countIn(situation, args.name, args.holder) - 1),
    'rw.readForceRelease': ({ readLock }, { name }) => readLock.forceRelease({ name }),
    'rw.readRenew': async ({ readLock }, { timeout: lease, items }) => {
      const renewed = items.map(async ([name, holders]) => {
        const { held } = await readLock.renew([holders].flat().map((owner) => ({ name, owner, lease })));
        return Number(held.includes(true));
      });
      return Promise.all(renewed);
    },
    'rw.writeAcquire': ({ writeLock }, args, situation) =>
      acquire(writeLock, args, countIn(situation, args.name, `${args.holder}:write`) + 1),
    'rw.writeRelease': ({ writeLock }, args, situation) =>
      release(writeLock, args, countIn(situation, args.name, `${args.holder}:write`) - 1),
    'rw.writeForceRelease': ({ writeLock }, { name }) => writeLock.forceRelease({ name }),
  },
  {
    R03: {
      why: 'the reads of one owner have one lease, which a re-entry begins anew for all of them',
      state: {
        rw: { type: 'hash', value: { mode: 'read', [A1]: '2' }, ttl: [29_000, 30_000] },
        [timeout(1)]: { type: 'string', value: '1', ttl: [29_000, 30_000] },
        [timeout(2)]: { type: 'string', value: '1', ttl: [29_000, 30_000] },
      },
    },
    R12: {
      why: 'a renewal never ends the longer lease of another reader',
      state: {
        rw: { type: 'hash', value: { mode: 'read', [A1]: '2', '${B7}': '1' }, ttl: [59_000, 60_000] },
        [timeout(1)]: { type: 'string', value: '1', ttl: [29_000, 30_000] },
        [timeout(2)]: { type: 'string', value: '1', ttl: [29_000, 30_000] },
        '{rw}:${B7}:rwlock_timeout:1': { type: 'string', value: '1', ttl: [59_000, 60_000] },
      },
    },
    W02: {
      why: 'a re-entry says how long the lock is to last, instead of adding to it',
      state: { rw: { type: 'hash', value: { mode: 'write', [`${A1}:write`]: '2' }, ttl: [29_000, 30_000] } },
    },
    W07: {
      why: 'other readers are told that they may come in, and the lock lasts as long as what is still read',
      state: {
        rw: { type: 'hash', value: { mode: 'read', [A1]: '1' }, ttl: [9000, 10_000] },
        [timeout(1)]: { type: 'string', value: '1', ttl: [9000, 10_000] },
      },
      messages: [['redisson_rwlock:{rw}', '1']],
    },
    W08: {
      why: 'a read that ends does not shorten the hold of its writer, and the reads of one owner have one lease',
      state: {
        rw: { type: 'hash', value: { mode: 'write', [`${A1}:write`]: '1', [A1]: '1' }, ttl: [59_000, 60_000] },
        [timeout(1)]: { type: 'string', value: '1', ttl: [29_000, 30_000] },
      },
    },
    W09: {
      why: 'to us, the last read of a writer is released like any other: returns final',
      returns: 'final',
    },
    R05: {
      why: 'to us, one of several readers is released like any other: returns final; waiters of ours are told that the lock ends sooner than they know',
      returns: 'final',
      messages: [['redisson_rwlock:{rw}', [19_000, 20_000]]],
    },
    R06: {
      why: 'waiters of ours are told that the lock ends sooner than they know; Redisson ignores the number',
      messages: [['redisson_rwlock:{rw}', [29_000, 30_000]]],
    },
    W05: {
      why: 'waiters of ours are told that the lock ends sooner than they know; Redisson ignores the number',
      messages: [['redisson_rwlock:{rw}', '30000']],
    },
  },
);
