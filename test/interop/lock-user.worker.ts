import type { Hold } from '../../lib/index.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { Client } from '../kit/client.js';
import { serve } from '../servers/worker-host.js';
import { lockOfKind, type NodeLockKind } from './node-lock.js';

const [, , connection = '', watchdogTimeout = '30000'] = process.argv;
const settings = parseModuleOptions({ connection, watchdogTimeout: Number(watchdogTimeout) });
const client = new Client(createRuntime(settings, systemScheduler));
const holds: Hold[] = [];

/** Another process that holds locks of any kind, and can be killed. */
export const api = {
  /** Resolves with the owner's id. */
  acquire: async (kind: NodeLockKind, name: string): Promise<string> => {
    const hold = await lockOfKind(client.locks, kind, name).acquire({ wait: Number.POSITIVE_INFINITY });
    holds.push(hold);
    return hold.owner;
  },
};

serve(api);
