import { ManualClock } from '../../lib/testing/manual-clock.js';
import { inWorld } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';
import { until } from '../kit/until.js';

const HOLDER = '7c0f3b52-6a0f-4a2b-9a53-0f0b6a3d1c11:1';
/** The kinds whose waiters sleep until they get a message. */
const KINDS = ['getLock', 'getFairLock', 'getFencedLock'] as const;

const redis = new RedisWorld();
inWorld(redis, () => {
  it.each(KINDS)(
    'A wait does not time out beside a free lock whose release was not announced (D2): %s',
    async (kind) => {
      // The clock stands while a reply is on its way.
      const clock = new ManualClock();
      const { locks } = await redis.open({}, redis.server.url, clock);
      await redis.probe.put('n', HOLDER, 60_000);
      const before = await redis.probe.commands();
      const waiting = locks[kind]('n').acquire({ wait: 1000 });
      const progress = track(waiting);
      // It attempts, listens, and looks once more.
      await until(async () => (await redis.probe.commands()) === before + 2);
      await clock.advance(500);
      await redis.probe.remove('n');
      const asked = await redis.probe.commands();
      await clock.advance(475);
      // The lock is not acquired sooner: there is one more look, and no faster poll.
      expect(await redis.probe.commands()).toBe(asked);
      await clock.advance(10);
      await until(() => progress.settled);
      await expect((await waiting).release()).resolves.toBe('released');
    },
  );
});

const memory = new MemoryWorld();
inWorld(memory, () => {
  it.each(KINDS)('A wait in memory does not time out beside a free lock (D2): %s', async (kind) => {
    const { locks } = await memory.open();
    await memory.probe.put('n', HOLDER, 60_000);
    const start = memory.time.now();
    const waiting = locks[kind]('n').acquire({ wait: 1000 });
    await memory.time.pass(200);
    await memory.probe.remove('n');
    const hold = await memory.time.finish(waiting, 2000);
    expect(memory.time.now() - start).toBeGreaterThanOrEqual(970);
    await expect(hold.release()).resolves.toBe('released');
  });

  describe('A last attempt', () => {
    it.each(['getLock', 'getFairLock'] as const)(
      'D2: without a reply in time is not awaited, and its grant is released: %s',
      async (kind) => {
        const { time } = memory;
        const { locks, runtime } = await memory.open();
        const { lock, fairLock } = runtime.backend;
        await memory.probe.put('n', '7c0f3b52-6a0f-4a2b-9a53-0f0b6a3d1c11:1', 60_000);
        const waiting = locks[kind]('n').tryAcquire({ wait: 1000 });
        await time.pass(500);
        let answer = (): void => {};
        const answered = new Promise<void>((resolve) => (answer = resolve));
        const [ask, queue] = [lock.wait.bind(lock), fairLock.queue.bind(fairLock)];
        lock.wait = (request) => ask(request).then((reply) => answered.then(() => reply));
        fairLock.queue = (request) => queue(request).then((reply) => answered.then(() => reply));
        await memory.probe.remove('n');
        const start = time.now();
        await expect(time.finish(waiting, 2000)).resolves.toBeNull();
        expect(time.now() - start).toBeLessThanOrEqual(502);
        // A client that withdraws need not know whether it was granted anything.
        expect((await memory.probe.state('n')).type).toBe(kind === 'getLock' ? 'none' : 'hash');
        answer();
        await time.until(async () => (await memory.probe.names()).length === 0, 100);
      },
    );
  });
});
