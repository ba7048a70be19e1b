import type { Hold } from '../../lib/index.js';
import { serve } from '../servers/worker/worker-host.js';
import { openClient } from '../kit/client.js';

const [, , ...nodes] = process.argv;
const [connection = ''] = nodes;
// So long that no busy machine lets a node miss it.
const client = openClient({ connection, redLock: { nodes, nodeTimeout: 2000 } });
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
