import { eventsOf, StandingProcesses } from './standing-processes.js';
import { until } from '../../kit/until.js';
import { RedisServer } from '../../servers/redis/redis-server.js';

describe('A process that renews in a worker thread', () => {
  const processes = StandingProcesses.use();

  it('keeps its lock while synchronous work occupies the event loop for two leases, from the line after the grant on', async () => {
    const process = await processes().start();
    const standing = process.call('acquireAndStand', 'n', 5000, {}, true);
    await processes().whenHeld('n');
    await processes().expectHeld('n', 4500);
    const seen = await standing;
    expect(seen).toMatchObject({ isHeld: true, aborted: false });
    expect(seen.remaining).toBeGreaterThan(0);
    expect(seen.remaining).toBeLessThanOrEqual(1940);
    await until(async () => (await eventsOf(process, 'loop-blocked')).length > 0);
    const locks = [expect.objectContaining({ lockName: 'n', outcome: 'renewed-in-worker' })];
    expect(await eventsOf(process, 'loop-blocked')).toContainEqual(expect.objectContaining({ locks }));
    await expect(process.call('release')).resolves.toEqual(['released']);
    expect(await processes().redis.keys('*')).toEqual([]);
  });

  it('keeps no lock beyond its maxHold, nor one that has a lease of its own', async () => {
    const [limited, leased, usual] = [await processes().start(), await processes().start(), await processes().start()];
    const standing = [
      limited.call('acquireAndStand', 'limited', 6000, { maxHold: '4s' }),
      leased.call('acquireAndStand', 'leased', 3000, { lease: '1s' }),
      usual.call('acquireAndStand', 'usual', 6000),
    ];
    await processes().whenHeld('limited');
    const held = performance.now();
    await until(async () => (await processes().redis.exists('limited')) === 0, 6000);
    expect(performance.now() - held).toBeGreaterThan(3500);
    expect(performance.now() - held).toBeLessThan(5500);
    const seen = await Promise.all(standing);
    expect(seen.map(({ isHeld }) => isHeld)).toEqual([false, false, true]);
    expect(await processes().redis.keys('*')).toEqual(['usual']);
  });

  it('keeps locks of every kind, and permits', async () => {
    const process = await processes().start();
    const { all, held, isPermitHeld } = await process.call('acquireEveryKindAndStand', 5000);
    expect([held, isPermitHeld]).toEqual([all, true]);
    expect(new Set(await process.call('release'))).toEqual(new Set(['released']));
    await until(async () =>
      (await processes().redis.keys('k:*')).every((key) => !/^k:\w+$/.test(key) || key === 'k:fenced'),
    );
  });

  it('keeps a lock of independent masters', async () => {
    const masters = await Promise.all([RedisServer.start(), RedisServer.start(), RedisServer.start()]);
    try {
      const process = await processes().start({ redLock: { nodes: masters.map(({ url }) => url) } });
      expect(await process.call('acquireFromMastersAndStand', 'n', 5000)).toMatchObject({
        isHeld: true,
        aborted: false,
      });
      await expect(process.call('release')).resolves.toEqual(['released']);
    } finally {
      await Promise.all(masters.map((master) => master.stop()));
    }
  });
});
