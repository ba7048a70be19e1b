import { Worker, type WorkerOptions } from 'bullmq';
import { type Hold, LockLostError, type LockService } from 'nest-redis-lock';
import { type ReportJob, reportLock, REPORTS } from './report-job.js';

/** The hold of the request. If it has ended, because an earlier attempt had it or it was too late, a new one. */
const holdOf = async (locks: LockService, { id, lock }: ReportJob): Promise<Hold> => {
  try {
    return await locks.attach(lock);
  } catch (error) {
    if (!(error instanceof LockLostError)) throw error;
    return locks.acquire(reportLock(id), { wait: '1m' });
  }
};

/** Makes reports, and releases the lock of each. */
export const startReportWorker = (
  locks: LockService,
  makeReport: (id: string, signal: AbortSignal) => Promise<void>,
  options: WorkerOptions,
): Worker<ReportJob> =>
  new Worker<ReportJob>(
    REPORTS,
    async ({ data }) => {
      await using hold = await holdOf(locks, data);
      await makeReport(data.id, hold.signal);
    },
    options,
  );
