import type { Redis } from 'ioredis';
import type { Adapter, Held } from './adapter.js';
import { connect } from './client.js';
import { loadPeer } from './load-peer.js';
import { PEER_TTL_MS, POLL_MS } from './polling.js';

interface Mutex extends Held {
  acquire(): Promise<void>;
}

interface Package {
  readonly Mutex: new (
    client: Redis,
    key: string,
    options: {
      readonly lockTimeout: number;
      readonly acquireTimeout: number;
      readonly retryInterval: number;
      readonly refreshInterval?: number;
    },
  ) => Mutex;
}

/** The Mutex of redis-semaphore. It refreshes its lease only if a watchdog is measured. */
export const redisSemaphore: Adapter = {
  title: 'redis-semaphore',
  waiting: 'polls',
  hasFairLock: false,
  renews: true,
  plainCommands: ['set'],
  open: async (address, { renewedLease }) => {
    const { Mutex } = loadPeer('redis-semaphore') as Package;
    const client = await connect(address);
    const lasting =
      renewedLease === undefined ? { lockTimeout: PEER_TTL_MS, refreshInterval: 0 } : { lockTimeout: renewedLease };
    return {
      acquire: async (key, { wait }) => {
        const mutex = new Mutex(client, key, { ...lasting, acquireTimeout: wait, retryInterval: POLL_MS });
        await mutex.acquire();
        return mutex;
      },
    };
  },
};
