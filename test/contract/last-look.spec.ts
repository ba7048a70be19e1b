import type { Lock } from '../../lib/index.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';
import { unlessStalled } from '../kit/unless-stalled.js';

/** A process that does not run for this long, ms, may read the reply to its last look after the end of the wait. */
const LOOK = 15;

onEveryBackend((world) => {
  /** The kinds whose waiters sleep until they get a message. */
  const kinds = ['getLock', 'getFairLock', 'getFencedLock'] as const;

  describe('A wait that ends', () => {
    it.each(kinds)('D2: does not time out beside a free lock whose release was not announced: %s', async (kind) => {
      const lock: Lock = (await world.open()).locks[kind]('n');
      await unlessStalled(LOOK, async () => {
        await world.probe.put('n', '7c0f3b52-6a0f-4a2b-9a53-0f0b6a3d1c11:1', 60_000);
        const start = world.time.now();
        const waiting = lock.acquire({ wait: 1000 });
        await world.time.pass(200);
        await world.probe.remove('n');
        const hold = await world.time.finish(waiting, 2000);
        // The lock is not acquired sooner: there is one more look, and no faster poll.
        expect(world.time.now() - start).toBeGreaterThanOrEqual(970);
        await expect(hold.release()).resolves.toBe('released');
      });
    });
  });
});

const memory = new MemoryWorld();
inWorld(memory, () => {
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
