import { eventsOf, pause, StandingProcesses } from './standing-processes.js';
import { until } from '../../kit/until.js';
import { RedisServer } from '../../servers/redis/redis-server.js';

describe('A process that renews in a worker thread', () => {
  const processes = StandingProcesses.use();

  it('loses its lock when the main thread has hung for too long', async () => {
    const [process, other] = [
      await processes().start({ renewIn: { worker: '3s' } }),
      await processes().start({ renewIn: 'main', wait: '20s' }),
    ];
    await process.call('acquire', 'n');
    const waiting = other.call('acquire', 'n').then(() => performance.now());
    await process.call('hang');
    const hung = performance.now();
    const took = (await waiting) - hung;
    // The last renewal was sent two thirds of a second before the limit at the earliest.
    expect(took).toBeGreaterThan(3000 - 700 + 2000 - 700);
    expect(took).toBeLessThan(10_000);
  });

  it('neither brings back nor prolongs a lock that another owner has taken meanwhile', async () => {
    const process = await processes().start();
    const standing = process.call('acquireAndStand', 'n', 5000);
    await processes().whenHeld('n');
    await pause(2500);
    await processes().redis.multi().del('n').hset('n', 'other:1', 1).pexpire('n', 60_000).exec();
    const seen = await standing;
    expect(seen.isHeld).toBe(false);
    expect(await processes().redis.hkeys('n')).toEqual(['other:1']);
    expect(await processes().redis.pttl('n')).toBeGreaterThan(55_000);
    await until(async () => (await eventsOf(process, 'lost')).length > 0);
    const reason = expect.stringContaining('the server no longer has it');
    expect(await eventsOf(process, 'lost')).toEqual([expect.objectContaining({ lockName: 'n', reason })]);
    await expect(process.call('release')).resolves.toEqual(['expired']);
    expect(await processes().redis.hkeys('n')).toEqual(['other:1']);
  });

  it('leaves a lock alone that it has released, although the event loop stands after that', async () => {
    const process = await processes().start();
    await process.call('acquire', 'n');
    await process.call('release');
    await process.call('acquireAndStand', 'other', 3000);
    expect(await processes().redis.keys('*')).toEqual(['other']);
  });

  it('renews in the main thread once the worker has ended, and says so', async () => {
    const process = await processes().start();
    await process.call('acquire', 'n');
    await process.call('endThread');
    await until(async () => (await eventsOf(process, 'worker-failed')).length > 0);
    expect((await process.call('log')).filter((line) => line.includes('worker thread of renewIn'))).toHaveLength(1);
    await processes().expectHeld('n', 3000);
    await expect(process.call('release')).resolves.toEqual(['released']);
    await process.call('acquire', 'n');
    await expect(process.call('release')).resolves.toEqual(['released']);
  });

  it('says that the worker cannot reach Redis, and renews in it once it can', async () => {
    const own = await RedisServer.start();
    try {
      const process = await processes().start({ connection: own.url, commandTimeout: 200 });
      await own.kill9();
      await until(async () => (await eventsOf(process, 'worker-failed')).length > 0);
      const reason = expect.stringContaining('cannot be reached');
      expect((await eventsOf(process, 'worker-failed'))[0]).toMatchObject({ reason });
      await own.restart();
      await until(async () => (await eventsOf(process, 'available')).length > 0);
      expect(await process.call('acquireAndStand', 'n', 4500)).toMatchObject({ isHeld: true });
    } finally {
      await own.stop();
    }
  });

  it('ends the thread when it shuts down, and is not kept running by it', async () => {
    const process = await processes().start();
    expect(await process.call('threads')).toBe(1);
    await process.call('acquire', 'n');
    await process.call('release');
    await process.call('close');
    expect(await process.call('threads')).toBe(0);
    expect(await eventsOf(process, 'worker-failed')).toEqual([]);
    await process.call('letGo');
    await expect(process.exited).resolves.toEqual({ code: 0, signal: null });
  });
});
