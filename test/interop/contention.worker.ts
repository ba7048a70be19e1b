import { contend } from '../../bench/workers/contend.js';
import type { ContendDone, ContendTask } from '../../bench/workers/tasks.js';
import { openClient } from '../kit/client.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , connection = '', grants = ''] = process.argv;
const client = openClient({ connection, ...(grants === 'on' ? {} : { handover: false }) });

const noCounter = (): Promise<never> => Promise.reject(new Error('The acquisitions themselves show overlaps'));

/** Another process whose loops want one lock again and again, as `Contention.java` does with threads. */
export const api = {
  contend: (task: ContendTask): Promise<ContendDone> =>
    contend(() => ({ acquire: (key, { wait }) => client.locks.acquire(key, { wait }) }), noCounter, task),
  /** Lost holds, and errors that reached no caller. */
  unexpected: (): string[] =>
    client.events.filter(({ type }) => type === 'unexpected' || type === 'lost').map((event) => JSON.stringify(event)),
};

serve(api);
