import { createLocks } from '../../lib/index.js';
import { startReportWorker } from '../../docs/recipes/bullmq/report-worker.js';
import { Gate } from '../kit/gate.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , url = '', renewedLease = ''] = process.argv;
const { hostname: host, port } = new URL(url);
const begun: string[] = [];
const finish = new Gate();

/** The process of an application that works on jobs. A report is made when the test says so. */
export const api = {
  /** Begins to work on jobs. */
  start: async (): Promise<void> => {
    const locks = await createLocks({ connection: url, probe: false, renewedLease: Number(renewedLease) });
    const makeReport = async (id: string): Promise<void> => {
      begun.push(id);
      await finish.pass();
    };
    // A job of a worker that died goes to another one within two seconds.
    const stalls = { lockDuration: 1000, stalledInterval: 500 };
    startReportWorker(locks, makeReport, { connection: { host, port: Number(port) }, ...stalls });
  },
  /** Ids of the reports that were begun. */
  begun: async (): Promise<readonly string[]> => begun,
  finish: async (): Promise<void> => finish.open(),
};

serve(api);
