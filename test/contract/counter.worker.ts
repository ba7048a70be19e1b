import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { serve } from '../servers/worker-host.js';
import { Client } from '../kit/client.js';

const [, , connection = ''] = process.argv;
const { locks } = new Client(createRuntime(parseModuleOptions({ connection }), systemScheduler));

/** Another process that releases permits and counts latches down when it is told to. */
export const api = {
  release: (name: string): Promise<void> => locks.getSemaphore(name).release(),
  countDown: (name: string): Promise<void> => locks.getCountDownLatch(name).countDown(),
};

serve(api);
