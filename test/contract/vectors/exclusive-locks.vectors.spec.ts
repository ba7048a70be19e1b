import type { LockBackend } from '../../../lib/backend/lock-backend.js';
import type { LockOperations } from '../../../lib/backend/lock-operations.js';
import { LockOwnershipError } from '../../../lib/standalone.js';
import { Grant } from '../../../lib/holds/grant.js';
import { GrantedHold } from '../../../lib/holds/granted-hold.js';
import { NonReentrantLock } from '../../../lib/locks/non-reentrant-lock.js';
import { parseModuleOptions } from '../../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../../lib/module/runtime.factory.js';
import { Stopwatch, systemScheduler } from '../../../lib/time/scheduler.js';
import type { RedisData } from './redis-data.js';
import { type Arguments, describeVectors, type Operation, type Situation } from './run-vectors.js';

/**
 * The number of holds of an owner. Redisson acquires once more or releases once, while our commands give the number.
 */
const countOf = (before: RedisData, { name, holder }: Arguments): number => {
  const [, count] = Object.entries(before[name]?.value ?? {}).find(([field]) => field === holder) ?? [];
  return Number(count ?? 0);
};

const acquire = async (locks: LockOperations, args: Arguments, { before }: Situation) => {
  const { name, holder: owner, lease } = args;
  const count = countOf(before, args);
  if (count === 0) return locks.acquire({ name, owner, lease });
  const { outcome } = await locks.hold({ name, owner, lease, count: count + 1 });
  if (outcome === 'lost') throw new Error('It was there before');
  return { outcome: 'acquired' } as const;
};

const release = async (
  locks: LockOperations,
  args: Arguments,
  { before }: Situation,
  silent = false,
): Promise<string> => {
  const { name, holder: owner, restoreLease: lease } = args;
  const count = countOf(before, args);
  if (count > 1) {
    const { outcome } = await locks.hold({ name, owner, count: count - 1, lease });
    return outcome === 'held' ? 'partial' : outcome;
  }
  return (await locks.release({ name, owner, lease, silent })).outcome === 'released' ? 'final' : 'notOwner';
};

const plainAcquire: Operation = async ({ lock }, args, situation) => {
  const reply = await acquire(lock, args, situation);
  return reply.outcome === 'busy' ? reply.remaining : reply.outcome;
};

const renew: Operation = async ({ lock }, { items, timeout: lease }) => {
  const { held } = await lock.renew(items.map(([name, owner]) => ({ name, owner: String(owner), lease })));
  return held.map(Number);
};

describeVectors(
  ['L'],
  {
    'lock.acquire': plainAcquire,
    'lock.release': ({ lock }, args, situation) => release(lock, args, situation),
    'lock.forceRelease': ({ lock }, { name }) => lock.forceRelease({ name }),
    'lock.renew': renew,
  },
  {
    L02: {
      why: 'waiters of ours are told that the lease ends sooner than they know; Redisson ignores the number',
      messages: [['redisson_lock__channel:{lk}', '10000']],
    },
    L10: {
      why: 'owner ids never come back, so a repeated release finds that its owner holds nothing; latches are left alone',
      setup: [
        'SET redisson_unlock_latch:{lk}:0123456789abcdef0123456789abcdef 1 PX 15000',
        'HSET lk ${B7} 1',
        'PEXPIRE lk 5000',
      ],
      returns: 'notOwner',
      state: {
        lk: { type: 'hash', value: { '${B7}': '1' }, ttl: [4000, 5000] },
        'redisson_unlock_latch:{lk}:0123456789abcdef0123456789abcdef': { type: 'string', value: '1', ttl: [1, 15_000] },
      },
    },
  },
);

/**
 * Code that runs as the owner with the vector's hold, in a process of ours. The client decides about the re-entry, as
 * in Redisson.
 */
const acquireAgain = async (backend: LockBackend, { name, holder: owner, lease }: Arguments): Promise<unknown> => {
  const runtime = createRuntime(parseModuleOptions({ connection: 'memory' }), systemScheduler, () => backend);
  const sent = new Stopwatch(runtime.scheduler);
  const grant = new Grant(runtime, runtime.kinds.plain, name, { owner, sent, lease, fence: undefined });
  const hold = new GrantedHold(grant, 'manual', 0);
  grant.addFirstHold(hold, lease);
  try {
    return await hold.run(() => new NonReentrantLock(runtime, name).tryAcquire({ lease }));
  } catch (error) {
    if (error instanceof LockOwnershipError) return { error: 'NON_REENTRANT_REACQUIRE' };
    throw error;
  }
};

describeVectors(['N'], { 'nonreentrant.acquire': acquireAgain });

describeVectors(['S'], {
  'spin.release': ({ lock }, args, situation) => release(lock, args, situation, true),
  'spin.forceRelease': ({ lock }, { name }) => lock.forceRelease({ name, silent: true }),
});

const fencedAcquire: Operation = async ({ fencedLock }, args, situation) => {
  const reply = await acquire(fencedLock, args, situation);
  if (reply.outcome === 'busy') return { acquired: false, ttl: reply.remaining };
  return { acquired: true, token: Number(await fencedLock.currentToken(args.name)) };
};

describeVectors(
  ['E'],
  {
    'fenced.acquire': fencedAcquire,
    'lock.release': ({ fencedLock }, args, situation) => release(fencedLock, args, situation),
  },
  {
    E02: {
      why: 'an owner keeps its token when it re-enters, so that all its holds have the same',
      returns: { acquired: true, token: 41 },
      state: {
        fl: { type: 'hash', value: { '${A1}': '2' }, ttl: [29_000, 30_000] },
        'redisson_lock_token:{fl}': { type: 'string', value: '41', ttl: 'none' },
      },
    },
  },
  { fencing: 'counter' },
);
