import { serve } from '../servers/worker/worker-host.js';
import { openClient } from '../kit/client.js';

const [, , connection = '', fairWaitTimeout = '5000'] = process.argv;
const client = openClient({ connection, fairWaitTimeout: Number(fairWaitTimeout) });

/** Another process that waits for fair locks until it is killed. */
export const api = {
  startWaiting: (name: string): void => void client.locks.getFairLock(name).acquire({ wait: Infinity }),
};

serve(api);
