import { LockTimeoutError, LockUnavailableError } from '../../lib/standalone.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import type { World } from '../kit/world.js';
import { MemoryWorld } from '../kit/memory-world.js';
import { Owner } from './owner.js';
import { RedisWorld } from '../kit/redis-world.js';
import { crowd, UnsafeCounter } from '../kit/unsafe-counter.js';

/** Rows ML of the behaviour catalogue about members of several clients, or on several servers. */
describe.each([
  ['memories', (): World => new MemoryWorld()],
  ['Redis servers', (): World => new RedisWorld()],
])('A multi-lock over three %s', (_, world) => {
  const worlds = [world(), world(), world()];
  beforeAll(() => Promise.all(worlds.map((one) => one.start())));
  afterEach(() => Promise.all(worlds.map((one) => one.reset())));
  afterAll(() => Promise.all(worlds.map((one) => one.stop())));

  it('ML-04 excludes another one over the same members, and frees them all', async () => {
    const clients = await Promise.all(worlds.map((one) => one.open()));
    const [first] = clients;
    if (!first) throw new Error('There are three');
    const { locks } = first;
    const [a, b] = [new Owner(locks), new Owner(locks)];
    const members = clients.map((client) => client.locks.getLock('n'));
    const lock = locks.getMultiLock(...members);
    expect(lock.name).toBe('n, n, n');
    await a.run(() => lock.acquire());
    await expect(b.run(() => lock.tryAcquire())).resolves.toBeNull();
    await expect(b.run(() => lock.tryAcquire())).resolves.toBeNull();
    for (const one of worlds) await expect(one.probe.names()).resolves.toEqual(['n']);
    await a.run(() => lock.release());
    for (const one of worlds) await expect(one.probe.names()).resolves.toEqual([]);
  });
});

onEveryBackend((world) => {
  describe('A multi-lock over two clients', () => {
    it('keeps the given order, and succeeds beside one in the opposite order', async () => {
      const [one, other] = [await world.open({ wait: Infinity }), await world.open({ wait: Infinity })];
      const [a, b] = [one.locks.getLock('a'), other.locks.getLock('b')];
      const [there, back] = [one.locks.getMultiLock(a, b), other.locks.getMultiLock(b, a)];
      expect([there.name, back.name]).toEqual(['a, b', 'b, a']);
      const counter = new UnsafeCounter(world);
      const round = (worker: number): Promise<void> => (worker === 0 ? there : back).withLock(() => counter.add(1));
      await world.time.finish(crowd(2, 10, round), 20_000);
      expect(counter).toMatchObject({ count: 20, mostInside: 1 });
    });

    it('holds nothing while it waits long for one of them', async () => {
      const [one, other] = [await world.open(), await world.open()];
      const held = await other.locks.acquire('b');
      const waiting = one.locks.getMultiLock(one.locks.getLock('a'), other.locks.getLock('b')).acquire();
      await world.time.until(async () => (await world.probe.names()).includes('a'), 1000);
      await world.time.until(async () => !(await world.probe.names()).includes('a'), 1000);
      await expect(world.time.finish(one.locks.acquire('a', { lease: 500 }), 1000)).resolves.toMatchObject({
        name: 'a',
      });
      await held.release();
      const hold = await world.time.finish(waiting, 5000);
      expect(hold.members.map(({ name }) => name)).toEqual(['a', 'b']);
      await expect(hold.release()).resolves.toBe('released');
    });

    it('gives up when its one wait is over', async () => {
      const [one, other] = [await world.open(), await world.open()];
      await other.locks.acquire('b');
      const lock = one.locks.getMultiLock(one.locks.getLock('a'), other.locks.getLock('b'));
      const start = world.time.now();
      const outcome = lock.acquire({ wait: 500 }).catch((error: unknown) => error);
      expect(await world.time.finish(outcome, 2000)).toBeInstanceOf(LockTimeoutError);
      expect(world.time.now() - start).toBeGreaterThanOrEqual(498);
      expect(world.time.now() - start).toBeLessThan(500 + world.time.slack);
      // The waiter leaves the entry of its client after it has answered its caller.
      await world.time.until(async () => (await world.probe.names()).join() === 'b', 1000);
    });
  });
});

const [near, far] = [new RedisWorld(), new RedisWorld()];

inWorld(near, ({ time }) => {
  beforeAll(() => far.start());
  afterEach(() => far.reset());
  afterAll(() => far.stop());

  const openBoth = async () => {
    const [one, other] = [await near.open({ commandTimeout: 100 }), await far.open({ commandTimeout: 100 })];
    return { locks: one.locks, a: one.locks.getLock('a'), b: other.locks.getLock('b') };
  };

  describe('A multi-lock with a server that does not answer', () => {
    it('ML-18 cannot be acquired, and leaves nothing on the other', async () => {
      const { locks, a, b } = await openBoth();
      const lock = locks.getMultiLock(a, b);
      far.server.pause();
      const outcome = lock.tryAcquire({ wait: 500, lease: '10s' }).catch((error: unknown) => error);
      expect(await time.finish(outcome, 500 + 2000)).toBeInstanceOf(LockUnavailableError);
      far.server.resume();
      await time.until(async () => (await near.probe.names()).length === 0, 1000);
      await time.until(async () => (await far.probe.names()).length === 0, 2000);
    });

    it('is still released on the other, and the failure is reported', async () => {
      const { locks, a, b } = await openBoth();
      const hold = await locks.getMultiLock(b, a).acquire({ lease: '5s' });
      far.server.pause();
      await expect(hold.release()).rejects.toThrow(LockUnavailableError);
      await expect(near.probe.names()).resolves.toEqual([]);
      far.server.resume();
      await time.until(async () => (await far.probe.names()).length === 0, 3000);
    });

    it('leaves the callback its result', async () => {
      const { locks, a, b } = await openBoth();
      const lock = locks.getMultiLock(b, a);
      const run = lock.withLock({ lease: '5s' }, () => {
        far.server.pause();
        return 'result';
      });
      await expect(time.finish(run, 3000)).resolves.toBe('result');
      await expect(near.probe.names()).resolves.toEqual([]);
      far.server.resume();
      await time.until(async () => (await far.probe.names()).length === 0, 3000);
    });
  });
});
