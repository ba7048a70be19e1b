import type { Redis } from 'ioredis';
import type { Adapter, Held } from './adapter.js';
import { loadPeer } from './load-peer.js';
import { attemptsFor, PEER_TTL_MS, POLL_MS } from './polling.js';

interface Package {
  readonly createLock: (
    client: Redis,
    options: { readonly timeout: number; readonly retries: number; readonly delay: number },
  ) => { acquire(key: string): Promise<Held> };
}

/** `@microfleet/ioredis-lock` on ioredis 5, the last that it supports, with its own jitter of up to 20 %. */
export const microfleetIoredisLock: Adapter = {
  title: '@microfleet/ioredis-lock',
  waiting: 'polls',
  hasFairLock: false,
  renews: false,
  plainCommands: ['set'],
  open: async ({ host, port }) => {
    const { createLock } = loadPeer('@microfleet/ioredis-lock') as Package;
    const { Redis: RedisOf5 } = loadPeer('ioredis5') as { readonly Redis: typeof Redis };
    const client = new RedisOf5({ host, port, lazyConnect: true });
    await client.connect();
    return {
      acquire: (key, { wait }) =>
        createLock(client, { timeout: PEER_TTL_MS, retries: attemptsFor(wait), delay: POLL_MS }).acquire(key),
    };
  },
};
