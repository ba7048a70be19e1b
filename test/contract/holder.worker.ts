import type { Hold } from '../../lib/index.js';
import { serve } from '../servers/worker/worker-host.js';
import { openClient } from '../kit/client.js';

const [, , connection = '', renewedLease = '30000'] = process.argv;
const client = openClient({ connection, renewedLease: Number(renewedLease) });
const holds = new Map<string, Hold>();

/** Another process that acquires and releases locks when it is told to. */
export const api = {
  /** Resolves with the owner's id. */
  acquire: async (name: string): Promise<string> => {
    const hold = await client.locks.acquire(name);
    holds.set(name, hold);
    return hold.owner;
  },
  release: async (name: string): Promise<string> => (await holds.get(name)?.release()) ?? 'never acquired',
  close: (): Promise<void> => client.close(),
  /** From now on the channel to the test does not keep this process alive. */
  letGo: (): void => process.channel?.unref(),
};

serve(api);
