import { Queue } from 'bullmq';
import { createLocks } from '../../lib/index.js';
import { type ReportJob, REPORTS } from '../../docs/recipes/bullmq/report-job.js';
import { requestReport } from '../../docs/recipes/bullmq/request-report.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , url = '', renewedLease = ''] = process.argv;
const { hostname: host, port } = new URL(url);
const locks = createLocks({ connection: url, probe: false, renewedLease: Number(renewedLease) });
const queue = new Queue<ReportJob>(REPORTS, { connection: { host, port: Number(port) } });

/** The process of an application that answers requests. */
export const api = {
  request: async (id: string): Promise<void> => requestReport(await locks, queue, id),
};

serve(api);
