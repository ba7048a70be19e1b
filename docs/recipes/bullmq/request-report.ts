import type { Queue } from 'bullmq';
import type { LockService } from 'nest-redis-lock';
import { type ReportJob, reportLock } from './report-job.js';

/**
 * Adds a job that makes a report.
 * @throws LockConflictError if the report is being made, or its job waits.
 */
export const requestReport = async (locks: LockService, queue: Queue<ReportJob>, id: string): Promise<void> => {
  const hold = await locks.acquire(reportLock(id), { wait: 0 });
  const lock = await hold.detach({ lease: '5m' });
  try {
    await queue.add('report', { id, lock }, { attempts: 3, backoff: 1000 });
  } catch (error) {
    // Perhaps the job was added all the same. If it has begun, it has the lock, and this does nothing.
    await locks.release(lock);
    throw error;
  }
};
