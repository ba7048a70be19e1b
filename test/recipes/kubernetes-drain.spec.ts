import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { waitingClients } from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './exports.worker.js';

const redis = new RedisWorld();
interface Reply {
  readonly status: number | undefined;
  readonly body: string;
}

interface Times {
  /** Time for which a pod is not ready and works as before, ms. */
  readonly notReady: number;
  readonly shutdownTimeout: number;
}

/** Enough for a few requests while the pod is not ready, and for every export. */
const LONG: Times = { notReady: 2000, shutdownTimeout: 30_000 };
/** Signals abort after three fifths of it. */
const SHORT: Times = { notReady: 0, shutdownTimeout: 1000 };

inWorld(redis, ({ time }) => {
  const start = async ({ notReady, shutdownTimeout } = LONG): Promise<Worker<typeof api>> => {
    const pod = await Worker.start<typeof api>(new URL('./exports.worker.ts', import.meta.url), {
      args: [redis.server.url, String(shutdownTimeout)],
      env: { NOT_READY_MS: String(notReady) },
    });
    redis.onReset(async () => {
      pod.kill('SIGKILL');
      await pod.exited;
    });
    return pod;
  };

  const urls = new Map<Worker<typeof api>, string>();
  const startBoth = async (times?: Times): Promise<readonly [Worker<typeof api>, Worker<typeof api>]> => {
    const pods = await Promise.all([start(times), start()] as const);
    for (const pod of pods) urls.set(pod, await pod.call('url'));
    return pods;
  };

  /** Sends a request over a connection of its own, as a probe does. A server that closes waits for kept connections. */
  const send = (pod: Worker<typeof api>, method: string, path: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const sent = request(`${urls.get(pod) ?? ''}${path}`, { method, agent: false }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      });
      sent.on('error', reject).end();
    });
  /** What a readiness probe sees: the status, or null if there is no connection. */
  const readiness = async (pod: Worker<typeof api>): Promise<number | undefined | null> =>
    send(pod, 'GET', '/ready').then(
      ({ status }) => status,
      () => null,
    );
  const run = async (pod: Worker<typeof api>, month: string): Promise<string> =>
    (await send(pod, 'POST', `/exports/${month}`)).body;
  const begun = (parts: number): Promise<unknown> =>
    time.until(async () => (await redis.admin.llen('begun')) === parts, 5000);
  const waiting = (): Promise<unknown> =>
    time.until(async () => (await redis.admin.zcard(waitingClients('export:may'))) === 1, 5000);
  const finish = (parts: number): Promise<unknown> =>
    redis.admin.rpush('tokens', ...Array.from({ length: parts }, () => 'go on'));

  describe('A pod that gets SIGTERM', () => {
    it('is not ready at once, finishes what it has begun, and hands its lock on', async () => {
      const [ending, next] = await startBoth();
      await expect(readiness(ending)).resolves.toBe(200);
      const may = run(ending, 'may');
      await begun(1);
      const mayInNext = run(next, 'may');
      await waiting();
      ending.kill('SIGTERM');
      await time.until(async () => (await readiness(ending)) === 503, 5000);
      // The load balancer has not noticed yet.
      const june = run(ending, 'june');
      await begun(2);
      await time.until(async () => (await readiness(ending)) === null, LONG.notReady + 5000);
      await expect(readiness(next)).resolves.toBe(200);
      await finish(6);
      await expect(Promise.all([may, june])).resolves.toEqual(['done', 'done']);
      // Long before the lease of 30 s would have ended.
      await expect(time.finish(mayInNext, 5000)).resolves.toBe('done');
      await expect(time.finish(ending.exited, 5000)).resolves.toEqual({ code: null, signal: 'SIGTERM' });
    });

    it('stops long work between two parts when its time is nearly over, and the next pod goes on with it', async () => {
      const [ending, next] = await startBoth(SHORT);
      const running = run(ending, 'may');
      await begun(1);
      const inNext = run(next, 'may');
      await waiting();
      const aborted = ending.call('aborted');
      ending.kill('SIGTERM');
      await time.finish(aborted, SHORT.shutdownTimeout + 5000);
      await finish(3);
      await expect(running).resolves.toBe('to be continued');
      await expect(time.finish(inNext, 5000)).resolves.toBe('done');
      await expect(redis.admin.lrange('done:may', 0, -1)).resolves.toEqual([
        `0 ${ending.pid}`,
        `1 ${next.pid}`,
        `2 ${next.pid}`,
      ]);
    });
  });
});
