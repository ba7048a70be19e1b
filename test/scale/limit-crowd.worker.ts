import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from '../kit/client.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { serve } from '../servers/worker/worker-host.js';
import { callersInside } from './callers-inside.js';

const [, , connection = '', renewedLease = '30000'] = process.argv;
const client = openClient({ connection, renewedLease: Number(renewedLease) });
const callers = callersInside(connectAdmin(connection), Number(renewedLease));
let calls = 0;

const callForEver = async (name: string, limit: number): Promise<never> => {
  for (;;) {
    await client.locks.withLock(name, { limit, wait: Infinity }, async () => {
      const caller = `${process.pid}:${++calls}`;
      await callers.enter(caller, limit);
      await sleep(2);
      await callers.leave(caller);
    });
  }
};

/** Another process, whose callers call again and again until it ends. */
export const api = {
  start: (count: number, name: string, limit: number): void => {
    // An error ends the process, and so fails the test.
    for (let caller = 0; caller < count; caller++) void callForEver(name, limit);
  },
};

serve(api);
