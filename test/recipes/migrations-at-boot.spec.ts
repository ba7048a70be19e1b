import { waitingClients } from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './migrations.worker.js';

const redis = new RedisWorld();
/** Watchdog time-out of a process that is killed, ms. */
const WATCHDOG = 900;
/** One that no stall outlasts, ms. */
const LONG_WATCHDOG = 30_000;

inWorld(redis, ({ time }) => {
  const start = async (renewedLease = LONG_WATCHDOG): Promise<Worker<typeof api>> => {
    const file = new URL('./migrations.worker.ts', import.meta.url);
    const worker = await Worker.start<typeof api>(file, { args: [redis.server.url, String(renewedLease)] });
    redis.onReset(() => worker.stop());
    return worker;
  };

  const list = (key: string): Promise<string[]> => redis.admin.lrange(key, 0, -1);
  const begun = (steps: number): Promise<unknown> =>
    time.until(async () => (await list('begun')).length === steps, 5000);
  const waiting = (processes: number): Promise<unknown> =>
    time.until(async () => (await redis.admin.zcard(waitingClients('migrations'))) === processes, 5000);

  describe('Migrations of processes that start together', () => {
    it('are run by one of them, and the others go on when it has finished', async () => {
      const [one, two, three] = await Promise.all([start(), start(), start()]);
      const running = one.call('boot');
      await begun(2);
      const others = [two.call('boot'), three.call('boot')];
      const progress = others.map(track);
      await waiting(2);
      expect(progress.map(({ settled }) => settled)).toEqual([false, false]);
      await one.call('finish');
      await Promise.all([running, ...others]);
      await expect(list('begun')).resolves.toEqual(['first', 'second', 'third'].map((name) => `${name} ${one.pid}`));
      await expect(list('done')).resolves.toEqual(['first', 'second', 'third']);
      await expect(redis.admin.exists('migrations')).resolves.toBe(0);
    });

    it('are finished by another one if the first dies, from the step that was not recorded', async () => {
      const [dying, other] = await Promise.all([start(WATCHDOG), start()]);
      const lost = dying.call('boot').catch(() => 'lost');
      await begun(2);
      const running = other.call('boot');
      await waiting(1);
      dying.kill('SIGKILL');
      await expect(lost).resolves.toBe('lost');
      await begun(3);
      await other.call('finish');
      await running;
      await expect(list('begun')).resolves.toEqual([
        `first ${dying.pid}`,
        `second ${dying.pid}`,
        `second ${other.pid}`,
        `third ${other.pid}`,
      ]);
      await expect(list('done')).resolves.toEqual(['first', 'second', 'third']);
    });
  });
});
