import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { serve } from '../servers/worker-host.js';
import { Client } from '../kit/client.js';

const [, , connection = '', fairWaitTimeout = '5000'] = process.argv;
const settings = parseModuleOptions({ connection, fairWaitTimeout: Number(fairWaitTimeout) });
const client = new Client(createRuntime(settings, systemScheduler));

/** Another process that waits for fair locks until it is killed. */
export const api = {
  startWaiting: (name: string): void => void client.locks.getFairLock(name).acquire({ wait: Infinity }),
};

serve(api);
