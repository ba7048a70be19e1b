import { LockOptionsError, type LockService } from '../../lib/standalone.js';
import { caught } from '../kit/caught.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { itWritesAtOnce } from '../kit/it-writes-at-once.js';

type Run = <T>(
  locks: LockService,
  options: { release?: 'background' | 'confirmed' | undefined; wait?: number },
  fn: () => T,
) => Promise<T>;

/** Work under each kind of lock, which excludes itself. */
const KINDS: readonly (readonly [string, Run])[] = [
  ['a reentrant lock', (locks, options, fn) => locks.withLock('n', options, fn)],
  ['a lock object', (locks, options, fn) => locks.getLock('n').withLock(options, fn)],
  ['a fair lock', (locks, options, fn) => locks.withLock('n', { ...options, fair: true }, fn)],
  ['a fenced lock', (locks, options, fn) => locks.withLock('n', { ...options, fenced: true }, fn)],
  ['a spin lock', (locks, options, fn) => locks.withLock('n', { ...options, kind: 'spin' }, fn)],
  ['a non-reentrant lock', (locks, options, fn) => locks.getNonReentrantLock('n').withLock(options, fn)],
  ['a write lock', (locks, options, fn) => locks.withLock('n', { ...options, mode: 'write' }, fn)],
  ['a group lock', (locks, options, fn) => locks.getGroupLock('n', ['v1', 'v2']).withLock(options, fn)],
  ['a multi-lock', (locks, options, fn) => locks.getMultiLock('m', 'n').withLock(options, fn)],
  [
    'a majority lock',
    (locks, options, fn) =>
      locks.getMajorityLock(...['m', 'n', 'o'].map((name) => locks.getLock(name))).withLock(options, fn),
  ],
  ['a limit', (locks, options, fn) => locks.withLock('n', { limit: 1, ...options }, fn)],
  ['a fair limit', (locks, options, fn) => locks.withLock('n', { limit: 1, ...options, fair: true }, fn)],
];
const BACKGROUND = { release: 'background', wait: 0 } as const;

onEveryBackend((world) => {
  describe.each(KINDS)('%s that is released in the background', (_, run) => {
    it('returns the result, and what is acquired next comes after the release', async () => {
      const { locks } = await world.open();
      for (let round = 1; round <= 3; round += 1) {
        await expect(run(locks, BACKGROUND, () => round)).resolves.toBe(round);
        await expect(run(locks, { wait: 0 }, () => 'free')).resolves.toBe('free');
      }
      const names = await world.probe.names();
      expect(names.filter((name) => !name.startsWith('redisson_lock_token'))).toEqual([]);
    });

    it('rejects with the error of the work, and is released', async () => {
      const { locks } = await world.open();
      const failure = new Error('no');
      const work = run(locks, BACKGROUND, () => Promise.reject(failure));
      await expect(work).rejects.toBe(failure);
      await expect(run(locks, { wait: 0 }, () => 'free')).resolves.toBe('free');
    });

    it('lets a shutdown wait for its confirmation', async () => {
      const client = await world.open();
      const told: string[] = [];
      client.locks.onEvent(['released'], ({ how }) => void told.push(how));
      await run(client.locks, BACKGROUND, () => {});
      await client.runtime.grants.whenEmpty();
      expect(told.length).toBeGreaterThan(0);
    });
  });

  describe('A lock that is released in the background', () => {
    it('is free for the next call also after it was entered twice, and the inner call was confirmed', async () => {
      const { locks } = await world.open();
      await locks.withLock('n', BACKGROUND, () => locks.withLock('n', BACKGROUND, () => {}));
      await expect(locks.withLock('n', { wait: 0 }, () => 'free')).resolves.toBe('free');
    });

    it('is confirmed if its release has to wait for another command of its hold', async () => {
      const { locks } = await world.open();
      let inner: Promise<void> | undefined;
      await locks.withLock('n', BACKGROUND, (hold) => {
        // It is answered when the hold has ended.
        inner = hold.extend('60s').catch(() => {});
      });
      await inner;
      await expect(locks.withLock('n', { wait: 0 }, () => 'free')).resolves.toBe('free');
    });

    it('stays held for its minimum time', async () => {
      const { locks } = await world.open();
      await locks.withLock('n', { ...BACKGROUND, holdAtLeast: '5s' }, () => {});
      await expect(locks.tryAcquire('n')).resolves.toBeNull();
      await locks.getLock('n').forceRelease();
    });

    it('is handed over to a waiter of this process', async () => {
      const { locks } = await world.open();
      const order: string[] = [];
      const visit = (name: string) => locks.withLock('n', { release: 'background' }, () => void order.push(name));
      await world.time.finish(Promise.all(['a', 'b', 'c'].map(visit)), 10_000);
      expect(order).toEqual(['a', 'b', 'c']);
      await expect(locks.withLock('n', { wait: 0 }, () => 'free')).resolves.toBe('free');
    });

    it.each(['later', true, null, 0])('is refused with release %p, before anything is sent', async (release) => {
      const { locks } = await world.open();
      for (const [, run] of KINDS) {
        const refused = run(locks, { release: release as never }, () => {});
        expect((await caught(refused, LockOptionsError)).message).toMatch(
          /^release must be "confirmed" or "background"/,
        );
      }
      await expect(world.probe.names()).resolves.toEqual([]);
    });
  });
});

const redis = new RedisWorld();
inWorld(redis, () => {
  it.each(KINDS)('%s is free when the result is there, or with release: background later', async (_, run) => {
    for (const [module, call, isConfirmed] of [
      [undefined, undefined, true],
      [undefined, 'background', false],
      ['background', undefined, false],
      ['background', 'confirmed', true],
    ] as const) {
      const { locks } = await redis.open({ release: module });
      let released = 0;
      locks.onEvent(['released'], () => void (released += 1));
      await run(locks, { release: call }, () => {});
      expect(released > 0).toBe(isConfirmed);
      await redis.time.until(() => released > 0, 5000);
    }
  });

  itWritesAtOnce(
    'A release in the background is written before the caller goes on, also if that blocks the event loop',
    async () => {
      const { locks } = await redis.open();
      // The scripts are known from then on.
      await locks.withLock('n', () => {});
      const monitor = await redis.admin.monitor();
      redis.onReset(async () => monitor.disconnect());
      const seen: (readonly [time: number, text: string])[] = [];
      monitor.on(
        'monitor',
        (time: string, args: readonly string[]) => void seen.push([Number(time) * 1000, args.join(' ')]),
      );
      // With others in flight, commands of one turn of the event loop are written together, at its end.
      const busy: Promise<boolean>[] = [];
      await locks.withLock('n', { release: 'background' }, () => {
        for (let other = 0; other < 5; other += 1) busy.push(locks.getLock(`other:${other}`).isLocked());
      });
      const from = Date.now();
      while (Date.now() < from + 500);
      await Promise.all(busy);
      await redis.time.until(() => seen.some(([, text]) => /evalsha.* n .*PUBLISH/i.test(text)), 5000);
      const [releasedAt = Number.POSITIVE_INFINITY] =
        seen.find(([, text]) => /evalsha.* n .*PUBLISH/i.test(text)) ?? [];
      expect(releasedAt).toBeLessThan(from + 250);
    },
  );
});
