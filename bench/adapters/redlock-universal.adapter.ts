import type { Redis } from 'ioredis';
import type { Adapter } from './adapter.js';
import { connect } from './client.js';
import { loadPeer } from './load-peer.js';
import { attemptsFor, PEER_TTL_MS, POLL_MS } from './polling.js';

interface Lock<Handle> {
  acquire(): Promise<Handle>;
  release(handle: Handle): Promise<boolean>;
}

interface Package {
  readonly IoredisAdapter: new (client: Redis) => object;
  readonly createLock: (options: {
    readonly adapter: object;
    readonly key: string;
    readonly ttl: number;
    readonly retryAttempts: number;
    readonly retryDelay: number;
    readonly performance: 'lean';
  }) => Lock<unknown>;
}

/** `redlock-universal` in its fastest mode, 'lean'. The package asks for Node 22, but works on Node 20 here. */
export const redlockUniversal: Adapter = {
  title: 'redlock-universal',
  waiting: 'polls',
  hasFairLock: false,
  renews: false,
  plainCommands: ['set'],
  open: async (address) => {
    const { createLock, IoredisAdapter } = loadPeer('redlock-universal') as Package;
    const adapter = new IoredisAdapter(await connect(address));
    return {
      acquire: async (key, { wait }) => {
        const lock = createLock({
          adapter,
          key,
          ttl: PEER_TTL_MS,
          retryAttempts: attemptsFor(wait),
          retryDelay: POLL_MS,
          performance: 'lean',
        });
        const handle = await lock.acquire();
        return { release: () => lock.release(handle) };
      },
    };
  },
};
