import type { LockBackend } from '../../../lib/backend/lock-backend.js';
import type { RedisData } from './redis-data.js';
import { type Arguments, describeVectors, type Situation } from './run-vectors.js';

/**
 * The number of holds of an owner. Redisson acquires once more or releases once, while our commands give the number.
 */
const countOf = (before: RedisData, { name, holder }: Arguments): number => {
  const [, count] = Object.entries(before[name]?.value ?? {}).find(([field]) => field === holder) ?? [];
  return Number(count ?? 0);
};

const acquire = async (fair: LockBackend['fairLock'], args: Arguments, { before }: Situation): Promise<unknown> => {
  const { name, holder: owner, lease, wait: slot } = args;
  const count = countOf(before, args);
  if (count > 0) {
    const { outcome } = await fair.hold({ name, owner, lease, count: count + 1 });
    return outcome === 'held' ? 'acquired' : outcome;
  }
  const reply = await fair.queue({ name, owner, lease, slot });
  return reply.outcome === 'acquired' ? reply.outcome : reply.remaining;
};

const release = async (fair: LockBackend['fairLock'], args: Arguments, { before }: Situation): Promise<unknown> => {
  const { name, holder: owner, restoreLease: lease } = args;
  const count = countOf(before, args);
  if (count > 1) {
    const { outcome } = await fair.hold({ name, owner, count: count - 1, lease });
    return outcome === 'held' ? 'partial' : outcome;
  }
  return (await fair.release({ name, owner, lease })).outcome === 'released' ? 'final' : 'notOwner';
};

describeVectors(
  ['F'],
  {
    'fair.acquire': ({ fairLock }, args, situation) => acquire(fairLock, args, situation),
    'fair.tryOnce': async ({ fairLock }, { name, holder: owner, lease }) =>
      (await fairLock.acquire({ name, owner, lease })).outcome === 'acquired',
    'fair.leaveQueue': async ({ fairLock }, { name, holder: owner, lease, wait: slot }) => {
      await fairLock.leave({ name, owners: [owner], lease, slot });
      return null;
    },
    'fair.release': ({ fairLock }, args, situation) => release(fairLock, args, situation),
    'fair.forceRelease': ({ fairLock }, { name }) => fairLock.forceRelease({ name }),
  },
  {
    F03: {
      why: 'a new waiter is told when the lease ends, as at every later try, not when its predecessor would be dead',
      returns: [19_000, 20_000],
    },
    F05: {
      why: 'where the lock is free the waiter is told how long the head keeps its place; 0 makes waiters poll in a loop; and the head is told, which may not know that a lease has ended',
      returns: [319_000, 320_000],
      messages: [['redisson_lock__channel:{f}:${B7}', '0']],
    },
    F15: {
      why: 'the head is told that the lease ends sooner than it knows; one of Redisson asks',
      messages: [['redisson_lock__channel:{f}:${B7}', '0']],
    },
    F16: { why: 'nothing was held, and the caller learns so; the head is told all the same', returns: 'notOwner' },
  },
);
