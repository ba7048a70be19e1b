import type { LockEvent } from '../../lib/events/lock-events.js';
import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { LockService, type RedisLockOptions } from '../../lib/standalone.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { BlockableLoop } from './blockable-loop.js';

type Blocked = LockEvent & { readonly type: 'loop-blocked' };

const open = (options: Pick<RedisLockOptions, 'renewedLease'> = {}) => {
  const loop = new BlockableLoop();
  const runtime = createRuntime(parseModuleOptions({ connection: 'memory', ...options }), loop, memoryBackend);
  const locks = new LockService(runtime);
  const events: LockEvent[] = [];
  locks.onEvent((event) => void events.push(event));
  const blocked = (): readonly Blocked[] => events.filter((event) => event.type === 'loop-blocked');
  return { loop, runtime, locks, events, blocked };
};

describe('An event loop that stood while a lock was held', () => {
  it('is reported when the watchdog has renewed the lock', async () => {
    const { loop, locks, events } = open();
    const hold = await locks.acquire('order:42');
    await loop.pass(3500);
    loop.block(12_000);
    await loop.pass(0);
    // The beat that was delayed was due after 4 s.
    const lock = { lockName: 'order:42', owner: hold.owner, method: undefined, lease: 30_000, outcome: 'renewed' };
    expect(events).toEqual([{ type: 'loop-blocked', delay: 11_500, locks: [lock] }]);
    expect(hold.remaining).toBeGreaterThan(29_000);
    await hold.release();
  });

  it('is reported with the locks that were lost by it', async () => {
    const { loop, locks, events, blocked } = open();
    const hold = await locks.acquire('order:42');
    loop.block(31_000);
    await loop.pass(0);
    expect(events.map(({ type }) => type).toSorted()).toEqual(['loop-blocked', 'lost']);
    expect(blocked()).toMatchObject([{ delay: 30_000, locks: [{ lockName: 'order:42', outcome: 'lost' }] }]);
    expect(hold.isHeld).toBe(false);
  });

  it('is reported with a lock that the running code found lost before any timer', async () => {
    const { loop, locks, blocked } = open();
    const hold = await locks.acquire('order:42');
    loop.block(31_000);
    expect(() => hold.assertHeld()).toThrow('its lease ended');
    await loop.pass(0);
    expect(blocked()).toMatchObject([{ locks: [{ lockName: 'order:42', outcome: 'lost' }] }]);
  });

  it('is reported with a lock whose own work stood in the way, and which was released right after', async () => {
    const { loop, locks, blocked } = open();
    await locks.withLock('report', () => loop.block(12_000));
    await loop.pass(0);
    expect(blocked()).toMatchObject([{ delay: 11_000, locks: [{ lockName: 'report', outcome: 'released' }] }]);
  });

  it('is reported for a lock with a shorter lease of its own, and not for the others', async () => {
    const { loop, locks, blocked } = open();
    const holds = [await locks.acquire('long'), await locks.acquire('short', { lease: '6s' })];
    loop.block(3000);
    await loop.pass(0);
    expect(blocked()).toMatchObject([{ delay: 2800, locks: [{ lockName: 'short', lease: 6000, outcome: 'held' }] }]);
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('is reported with a lock that could not be renewed afterwards', async () => {
    const { loop, locks, runtime, blocked, events } = open();
    const hold = await locks.acquire('order:42');
    const renew = jest.spyOn(runtime.backend.lock, 'renew');
    // The renewal that was due during the block, and the one that follows it.
    for (let failures = 0; failures < 2; failures += 1) renew.mockRejectedValueOnce(new Error('out of reach'));
    loop.block(12_000);
    await loop.pass(0);
    expect(events.map(({ type }) => type)).toEqual(['renewal-failed', 'renewal-failed', 'loop-blocked']);
    expect(blocked()).toMatchObject([{ locks: [{ lockName: 'order:42', outcome: 'held' }] }]);
    await loop.pass(3000);
    expect(renew.mock.calls.length).toBeGreaterThan(2);
    expect(hold.remaining).toBeGreaterThan(26_000);
    await hold.release();
  });

  it('is reported once, with the longest time, if it stood again before the report', async () => {
    const { loop, locks, blocked } = open({ renewedLease: '60s' });
    const holds = await Promise.all(['a', 'b'].map((name) => locks.acquire(name)));
    loop.block(24_000);
    await holds[0]?.release();
    loop.block(28_000);
    await holds[1]?.release();
    await loop.pass(0);
    expect(blocked()).toMatchObject([
      {
        delay: 28_000,
        locks: [
          { lockName: 'a', outcome: 'released' },
          { lockName: 'b', outcome: 'released' },
        ],
      },
    ]);
  });
});

describe('An event loop without an event', () => {
  it('stood for no more than a third of the lease', async () => {
    const { loop, locks, events } = open();
    const hold = await locks.acquire('order:42');
    loop.block(10_000);
    await loop.pass(0);
    await loop.pass(20_000);
    loop.block(9000);
    await loop.pass(0);
    expect(events).toEqual([]);
    await hold.release();
  });

  it('stood before the lock was granted', async () => {
    const { loop, locks, events } = open();
    const earlier = await locks.acquire('earlier');
    await earlier.release();
    loop.block(20_000);
    const hold = await locks.acquire('order:42');
    await loop.pass(0);
    expect(events).toEqual([]);
    await hold.release();
  });

  it('is not watched when nothing is held', async () => {
    const { loop, locks } = open();
    const hold = await locks.acquire('order:42');
    await loop.pass(5000);
    await hold.release();
    await loop.pass(30_000);
    expect(loop.pending).toBe(0);
  });

  it('is watched more closely only as long as a short lease is held', async () => {
    const { loop, locks } = open();
    const long = await locks.acquire('long');
    const short = await locks.acquire('short', { lease: '300ms' });
    await short.release();
    await loop.pass(2000);
    const schedule = jest.spyOn(loop, 'schedule');
    await loop.pass(5000);
    expect(schedule.mock.calls.length).toBeLessThan(8);
    await long.release();
  });
});
