import type { Hold } from '../../lib/index.js';
import { serve } from '../servers/worker/worker-host.js';
import { lockOfKind, type NodeLockKind } from './node-lock.js';
import { openClient } from '../kit/client.js';

const [, , connection = '', renewedLease = '30000', commandTimeout = '1000'] = process.argv;
const client = openClient({
  connection,
  renewedLease: Number(renewedLease),
  commandTimeout: Number(commandTimeout),
});
const holds: Hold[] = [];

/** Another process that holds locks of any kind. A test may kill it. */
export const api = {
  /** Resolves with the owner's id. */
  acquire: async (kind: NodeLockKind, name: string): Promise<string> => {
    const hold = await lockOfKind(client.locks, kind, name).acquire({ wait: Number.POSITIVE_INFINITY });
    holds.push(hold);
    return hold.owner;
  },
};

serve(api);
