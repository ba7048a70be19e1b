import type { Hold } from '../../lib/index.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { serve } from '../servers/worker-host.js';
import { Client } from '../kit/client.js';

const [, , connection = '', watchdogTimeout = '30000'] = process.argv;
const settings = parseModuleOptions({ connection, watchdogTimeout: Number(watchdogTimeout) });
const client = new Client(createRuntime(settings, systemScheduler));
const holds = new Map<string, Hold>();

/** Another process that takes locks and gives them back when it is told to. */
export const api = {
  /** Resolves with the owner's id. */
  acquire: async (name: string): Promise<string> => {
    const hold = await client.locks.acquire(name);
    holds.set(name, hold);
    return hold.owner;
  },
  release: async (name: string): Promise<string> => (await holds.get(name)?.release()) ?? 'never acquired',
  close: (): Promise<void> => client.close(),
  /** From now on nothing of the test keeps this process alive. */
  letGo: (): void => process.channel?.unref(),
};

serve(api);
