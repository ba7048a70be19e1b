import type { Hold, HoldToken } from '../../lib/index.js';
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
  /** Resolves with the token. @param lease Milliseconds. */
  detach: async (name: string, lease: number): Promise<HoldToken> => {
    const hold = holds.get(name);
    if (!hold) throw new Error(`${name} was never acquired`);
    return hold.detach({ lease });
  },
  /** Resolves with the lock's name. */
  attach: async (token: HoldToken): Promise<string> => {
    const hold = await client.locks.attach(token);
    holds.set(hold.name, hold);
    return hold.name;
  },
  close: (): Promise<void> => client.close(),
  /** From now on the channel to the test does not keep this process alive. */
  letGo: (): void => process.channel?.unref(),
};

serve(api);
