import type { LockBackend } from '../../lib/backend/lock-backend.js';
import {
  fairChannel,
  limitChannel,
  lockChannel,
  readTimeout,
  readWriteLockChannel,
} from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { Recorder } from './recorder.js';
import { A1, B7 } from './vectors/vector.js';

const redis = new RedisWorld();
const held = { name: 'n', owner: A1, lease: 30_000 };

/** How an owner acquires each kind, and where those that wait hear of its lease. */
const KINDS: readonly (readonly [
  kind: 'lock' | 'fencedLock' | 'fairLock' | 'readLock' | 'writeLock' | 'limit',
  channel: string,
  told: 'lease' | 'ask',
])[] = [
  ['lock', lockChannel('n'), 'lease'],
  ['fencedLock', lockChannel('n'), 'lease'],
  ['fairLock', fairChannel('n', B7), 'ask'],
  ['readLock', readWriteLockChannel('n'), 'lease'],
  ['writeLock', readWriteLockChannel('n'), 'lease'],
  ['limit', limitChannel('n'), 'ask'],
];

/** What a server sends when a lease is set. */
inWorld(redis, () => {
  const open = async (): Promise<{ backend: LockBackend; recorder: Recorder }> => {
    const { backend } = (await redis.open()).runtime;
    const recorder = await Recorder.listenTo(redis.server.url);
    redis.onReset(async () => recorder.close());
    return { backend, recorder };
  };

  describe('D40: a lease that is set', () => {
    it.each(KINDS)(
      'of %s is told to those that wait only if it ends sooner than before',
      async (kind, channel, told) => {
        const { backend, recorder } = await open();
        await backend[kind].acquire({ ...held, limit: 1 });
        // A waiter of Redisson.
        if (kind === 'fairLock') await backend.fairLock.queue({ ...held, owner: B7, slot: 60_000 });
        for (const lease of [30_000, 60_000]) await backend[kind].hold({ ...held, count: 1, lease });
        await expect(recorder.messages()).resolves.toEqual([]);
        await backend[kind].hold({ ...held, count: 1, lease: 2000 });
        const messages = await recorder.messages();
        expect(messages.map(([where]) => where)).toEqual([channel]);
        // A server may count what is left a little later than it set the lease.
        const [least, most] = told === 'lease' ? [1000, 2000] : [0, 0];
        const [[, left] = []] = messages;
        expect(Number(left)).toBeGreaterThanOrEqual(least);
        expect(Number(left)).toBeLessThanOrEqual(most);
      },
    );

    // Up to Redis 7.0, time goes on while a script runs: here for several milliseconds.
    it.each(['readLock', 'writeLock'] as const)(
      'of %s is not told if reads keep the lock as long as before, however long the script takes to read them',
      async (kind) => {
        const { backend, recorder } = await open();
        const { admin } = redis;
        await backend[kind].acquire(held);
        const reader = kind === 'readLock' ? B7 : A1;
        await admin
          .pipeline()
          .hset('n', reader, 20_000)
          .set(readTimeout('n', reader, 20_000), '1', 'PX', 60_000)
          .pexpire('n', 60_000)
          .exec();
        await expect(backend[kind].hold({ ...held, count: 1 })).resolves.toMatchObject({ outcome: 'held' });
        await expect(recorder.messages()).resolves.toEqual([]);
      },
    );

    it('of a silent lock is told only to clients that wait in turn', async () => {
      const { backend, recorder } = await open();
      const { lock } = backend;
      await lock.acquire(held);
      await lock.hold({ ...held, count: 1, lease: 20_000, silent: true });
      await expect(recorder.messages()).resolves.toEqual([]);
      await lock.wait({ name: 'n', entry: lock.entryOf(B7, 1000), isNew: true });
      await lock.hold({ ...held, count: 1, lease: 2000, silent: true });
      await expect(recorder.messages()).resolves.toEqual([[lockChannel('n'), '2000']]);
    });

    it('is no announcement of a release, however short it is', async () => {
      const { backend, recorder } = await open();
      await backend.lock.acquire(held);
      await backend.lock.hold({ ...held, count: 1, lease: 1 });
      await expect(recorder.messages()).resolves.toEqual([[lockChannel('n'), '2']]);
    });

    it.each(KINDS)('of %s is set without the right to publish', async (kind) => {
      const { backend } = await open();
      await backend[kind].acquire({ ...held, limit: 1 });
      if (kind === 'fairLock') await backend.fairLock.queue({ ...held, owner: B7, slot: 60_000 });
      await redis.admin.acl('SETUSER', 'default', '-publish');
      try {
        const reply = await backend[kind].hold({ ...held, count: 1, lease: 2000 });
        expect(reply.outcome).toBe('held');
      } finally {
        await redis.admin.acl('SETUSER', 'default', '+publish');
      }
    });
  });
});
