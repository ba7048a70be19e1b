import type { Hold } from '../../lib/index.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { serve } from '../servers/worker-host.js';
import { Client } from '../kit/client.js';

const [, , ...nodes] = process.argv;
const [connection = ''] = nodes;
const settings = parseModuleOptions({ connection, redlock: { nodes } });
const client = new Client(createRuntime(settings, systemScheduler));
let hold: Hold | null = null;

/** Another process that contends for a lock on independent masters. */
export const api = {
  tryAcquire: async (name: string, wait: number): Promise<boolean> => {
    hold = await client.locks.getRedLock(name).tryAcquire({ wait });
    return hold !== null;
  },
  release: async (): Promise<string> => (await hold?.release()) ?? 'never acquired',
};

serve(api);
