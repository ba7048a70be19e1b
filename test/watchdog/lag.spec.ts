import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { LockService } from '../../lib/standalone.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { BlockableLoop } from './blockable-loop.js';

const open = () => {
  const loop = new BlockableLoop();
  const runtime = createRuntime(parseModuleOptions({ connection: 'memory' }), loop, memoryBackend);
  return { loop, locks: new LockService(runtime), watchdog: runtime.watchdog };
};

describe('The lag of the watchdog', () => {
  it('is nothing before anything is held, and while rounds are in time', async () => {
    const { loop, locks, watchdog } = open();
    expect(watchdog.lag).toBe(0);
    const hold = await locks.acquire('order:42');
    await loop.pass(25_000);
    expect(watchdog.lag).toBe(0);
    await hold.release();
  });

  it('grows while a round is overdue, and stays that of the round until the next one', async () => {
    const { loop, locks, watchdog } = open();
    const hold = await locks.acquire('order:42');
    // The first round is due after 10 s.
    loop.block(13_000);
    expect(watchdog.lag).toBe(3000);
    await loop.pass(0);
    await loop.pass(9000);
    expect(watchdog.lag).toBe(3000);
    await loop.pass(1000);
    expect(watchdog.lag).toBe(0);
    await hold.release();
  });

  it('is that of the holds that wait for a later batch', async () => {
    const { loop, locks, watchdog } = open();
    const names = Array.from({ length: 501 }, (_, index) => `order:${index}`);
    const holds = await Promise.all(names.map((name) => locks.acquire(name)));
    loop.block(14_000);
    // The first two rounds take the overdue holds; both were due after 5 s at the earliest, after 10 s at the latest.
    await loop.pass(0);
    expect(watchdog.lag).toBeGreaterThanOrEqual(4000);
    await loop.pass(10_000);
    expect(watchdog.lag).toBe(0);
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('is nothing once nothing is held', async () => {
    const { loop, locks, watchdog } = open();
    const hold = await locks.acquire('order:42');
    loop.block(13_000);
    await hold.release();
    expect(watchdog.lag).toBe(0);
  });
});
