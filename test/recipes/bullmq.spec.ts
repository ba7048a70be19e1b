import { Queue } from 'bullmq';
import type { LockService } from '../../lib/index.js';
import { type ReportJob, reportLock, REPORTS } from '../../docs/recipes/bullmq/report-job.js';
import { requestReport } from '../../docs/recipes/bullmq/request-report.js';
import { waitingClients } from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { Worker } from '../servers/worker/worker.js';
import type { WorkerApi } from '../servers/worker/worker-messages.js';
import type { api as reportApi } from './report.worker.js';
import type { api as requestApi } from './request.worker.js';

const redis = new RedisWorld();
/** Lease of the processes, ms: long, since half of what is left of it limits each of their requests on a busy machine. */
const LEASE = 3000;
/** Ends a lease that nobody renews, ms. */
const LONGER = 1.2 * LEASE;
/** BullMQ gives a job of a dead worker to another one within that time, ms. */
const STALLED = 5000;
const ID = '7';
const LOCK = reportLock(ID);

inWorld(redis, ({ time }) => {
  const start = async <Api extends WorkerApi>(file: string): Promise<Worker<Api>> => {
    const url = new URL(file, import.meta.url);
    const worker = await Worker.start<Api>(url, { args: [redis.server.url, String(LEASE)] });
    redis.onReset(() => worker.stop());
    return worker;
  };
  const startRequests = () => start<typeof requestApi>('./request.worker.ts');
  const startReports = () => start<typeof reportApi>('./report.worker.ts');

  const openQueue = (): Queue<ReportJob> => {
    const { host, port } = redis.server;
    const queue = new Queue<ReportJob>(REPORTS, { connection: { host, port } });
    redis.onReset(() => queue.close());
    return queue;
  };

  const openLocks = async (): Promise<LockService> => (await redis.open()).locks;

  const begins = (worker: Worker<typeof reportApi>, limit = 5000): Promise<unknown> =>
    time.until(async () => (await worker.call('begun')).includes(ID), limit);
  const isDone = async (queue: Queue<ReportJob>): Promise<boolean> => (await queue.getCompletedCount()) === 1;

  describe('A lock that a request takes and a BullMQ job releases', () => {
    it('is held until the job is done', async () => {
      const [requests, reports, locks, queue] = [
        await startRequests(),
        await startReports(),
        await openLocks(),
        openQueue(),
      ];
      await requests.call('request', ID);
      await expect(locks.tryAcquire(LOCK)).resolves.toBeNull();
      await expect(requests.call('request', ID)).rejects.toMatchObject({ code: 'LOCK_CONFLICT' });
      await reports.call('start');
      await begins(reports);
      // Longer than the lease of the job's hold, which its watchdog renews.
      await time.pass(LONGER);
      await expect(locks.tryAcquire(LOCK)).resolves.toBeNull();
      await reports.call('finish');
      await time.until(() => isDone(queue), 2000);
      await expect(locks.tryAcquire(LOCK)).resolves.not.toBeNull();
    });

    it('is held by the job although the process of the request died', async () => {
      const [requests, reports, locks, queue] = [
        await startRequests(),
        await startReports(),
        await openLocks(),
        openQueue(),
      ];
      await requests.call('request', ID);
      requests.kill('SIGKILL');
      await time.pass(LONGER);
      await expect(locks.tryAcquire(LOCK)).resolves.toBeNull();
      await reports.call('start');
      await begins(reports);
      await expect(locks.tryAcquire(LOCK)).resolves.toBeNull();
      await reports.call('finish');
      await time.until(() => isDone(queue), 2000);
      await expect(locks.tryAcquire(LOCK)).resolves.not.toBeNull();
    });

    it('is free within the lease if the worker dies, and acquired anew by the job when it is repeated', async () => {
      const [requests, dying, other] = [await startRequests(), await startReports(), await startReports()];
      const [locks, queue] = [await openLocks(), openQueue()];
      await requests.call('request', ID);
      await dying.call('start');
      await begins(dying);
      dying.kill('SIGKILL');
      await expect(locks.tryAcquire(LOCK)).resolves.toBeNull();
      const between = await time.finish(locks.acquire(LOCK, { wait: '10s' }), LEASE + time.slack);
      await other.call('start');
      // BullMQ gives the job to the other worker, where it waits for the lock.
      await time.until(async () => (await redis.admin.zcard(waitingClients(LOCK))) === 1, STALLED);
      await expect(other.call('begun')).resolves.toEqual([]);
      between.assertHeld();
      await between.release();
      await begins(other);
      await expect(locks.tryAcquire(LOCK)).resolves.toBeNull();
      await other.call('finish');
      await time.until(() => isDone(queue), 2000);
      await expect(locks.tryAcquire(LOCK)).resolves.not.toBeNull();
    });

    it('is acquired anew by a job that begins after the lease of the token', async () => {
      const [reports, locks, queue] = [await startReports(), await openLocks(), openQueue()];
      const lock = await (await locks.acquire(LOCK)).detach({ lease: 50 });
      await time.until(async () => !(await locks.getLock(LOCK).isLocked()), 2000);
      await queue.add('report', { id: ID, lock });
      await reports.call('start');
      await begins(reports);
      await expect(locks.tryAcquire(LOCK)).resolves.toBeNull();
      await reports.call('finish');
      await time.until(() => isDone(queue), 2000);
    });

    it('stays with the job if it has begun although the request did not learn that it was added', async () => {
      const [reports, locks, queue] = [await startReports(), await openLocks(), openQueue()];
      await reports.call('start');
      const add = async (...job: Parameters<typeof queue.add>): Promise<never> => {
        await queue.add(...job);
        await begins(reports);
        throw new Error('The connection was cut before the reply');
      };
      const silent = { add } as Partial<Queue<ReportJob>> as Queue<ReportJob>;
      await expect(requestReport(locks, silent, ID)).rejects.toThrow('The connection was cut before the reply');
      await expect(locks.tryAcquire(LOCK)).resolves.toBeNull();
      await reports.call('finish');
      await time.until(() => isDone(queue), 2000);
      await expect(locks.tryAcquire(LOCK)).resolves.not.toBeNull();
    });

    it('is given back if the job cannot be added', async () => {
      const [locks, queue] = [await openLocks(), openQueue()];
      await queue.close();
      await expect(requestReport(locks, queue, ID)).rejects.toThrow(/closed/i);
      await expect(locks.tryAcquire(LOCK)).resolves.not.toBeNull();
    });
  });
});
