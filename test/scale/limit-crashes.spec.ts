import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { Worker } from '../servers/worker/worker.js';
import { callersInside } from './callers-inside.js';
import type { api } from './limit-crowd.worker.js';

const redis = new RedisWorld();
const [LIMIT, PROCESSES, CALLERS, CALLS] = [3, 4, 4, 10_000];
const LEASE_MS = 900;
/** The next kill comes later where the limit is not yet fully used again, or the next process has not started. */
const KILL_EVERY_MS = 1000;
/** Kills that have to hit a caller with a permit. The others show less. */
const HITS = 5;

inWorld(redis, ({ time }) => {
  const start = async (): Promise<Worker<typeof api>> => {
    const file = new URL('./limit-crowd.worker.ts', import.meta.url);
    const worker = await Worker.start<typeof api>(file, { args: [redis.server.url, String(LEASE_MS)] });
    redis.onReset(() => worker.stop());
    return worker;
  };

  describe('A limit of 3', () => {
    it('is never exceeded by 10,000 calls of 4 processes, one killed each second, and fully used within the lease', async () => {
      const callers = callersInside(redis.admin, LEASE_MS);
      const workers = await Promise.all(Array.from({ length: PROCESSES }, start));
      const begin = (worker: Worker<typeof api>): Promise<void> => worker.call('start', CALLERS, 'n', LIMIT);
      await Promise.all(workers.map(begin));
      const began = time.now();
      const recoveries: number[] = [];
      let kills = 0;
      let successor = start();

      for (let calls = 0; calls < CALLS || recoveries.length < HITS; { calls } = await callers.figures()) {
        const next = await successor;
        await time.pass(Math.max(0, began + (kills + 1) * KILL_EVERY_MS - time.now()));
        let victim: Worker<typeof api> | undefined;
        await time.until(async () => {
          const inside = await callers.processes();
          return (victim = workers.find(({ pid }) => inside.includes(pid))) !== undefined;
        }, LEASE_MS);
        if (victim === undefined) break;
        const { pid } = victim;
        const killed = await callers.now();
        victim.kill('SIGKILL');
        await victim.exited;
        kills += 1;
        // The server has read what the process sent, so that no caller of it enters after this.
        await redis.admin.ping();
        const lost = await callers.remove(pid);
        workers[workers.indexOf(victim)] = next;
        await begin(next);
        successor = start();
        const since = await callers.now();
        let full = 0;
        await time.until(async () => ({ full } = await callers.figures()).full > since, LEASE_MS + time.slack);
        if (lost > 0) recoveries.push(full - killed);
      }

      await successor;
      const { calls } = await callers.figures();
      process.stdout.write(
        `A limit of ${LIMIT}: ${calls} calls in ${((time.now() - began) / 1000).toFixed(1)} s, ${kills} kills, of which ` +
          `${recoveries.length} took a permit; full use again after ${recoveries.join(', ')} ms\n`,
      );
      await expect(callers.excesses()).resolves.toEqual([]);
      expect(Math.max(...recoveries)).toBeLessThanOrEqual(LEASE_MS + time.slack);
    }, 120_000);
  });
});
