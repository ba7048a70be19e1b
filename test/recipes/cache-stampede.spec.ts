import { flightLock, lockChannel } from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './products.worker.js';

const redis = new RedisWorld();
/** Watchdog time-out of a process that is killed, ms. */
const WATCHDOG = 900;
/** One that no stall outlasts, ms. */
const LONG_WATCHDOG = 30_000;
const REQUESTS = 50;

inWorld(redis, ({ time }) => {
  const start = async (renewedLease = LONG_WATCHDOG): Promise<Worker<typeof api>> => {
    const file = new URL('./products.worker.ts', import.meta.url);
    const worker = await Worker.start<typeof api>(file, { args: [redis.server.url, String(renewedLease)] });
    redis.onReset(() => worker.stop());
    return worker;
  };

  const loads = async (): Promise<number> => Number(await redis.admin.get('loads'));
  const loading = (count: number): Promise<unknown> => time.until(async () => (await loads()) === count, 5000);
  /** Resolves when that many processes listen for the result of another one. */
  const waiting = (processes: number): Promise<unknown> =>
    time.until(async () => (await redis.probe.subscribers(lockChannel(flightLock('product:7')))) === processes, 5000);

  describe('A product that many requests miss in the cache', () => {
    it('is loaded once for all requests of all processes', async () => {
      const [one, other] = await Promise.all([start(), start()]);
      const inOne = one.call('get', '7', REQUESTS);
      await loading(1);
      const inOther = other.call('get', '7', REQUESTS);
      await waiting(1);
      await one.call('finish');
      const loaded = { id: '7', name: `loaded by ${one.pid}` };
      expect([...(await inOne), ...(await inOther)]).toEqual(Array.from({ length: 2 * REQUESTS }, () => loaded));
      await expect(other.call('get', '7', REQUESTS)).resolves.toContainEqual(loaded);
      await expect(loads()).resolves.toBe(1);
    });

    it('is loaded by another process if the first one dies', async () => {
      const [dying, other] = await Promise.all([start(WATCHDOG), start()]);
      const lost = dying.call('get', '7', REQUESTS).catch(() => 'lost');
      await loading(1);
      const inOther = other.call('get', '7', REQUESTS);
      await waiting(1);
      dying.kill('SIGKILL');
      await expect(lost).resolves.toBe('lost');
      await loading(2);
      await other.call('finish');
      await expect(inOther).resolves.toContainEqual({ id: '7', name: `loaded by ${other.pid}` });
      await expect(loads()).resolves.toBe(2);
    });
  });
});
