import type { Adapter } from './adapter.js';
import { loadPeer } from './load-peer.js';
import { PEER_TTL_MS } from './polling.js';

interface NodeRedisClient {
  on(event: 'error', listener: (error: Error) => void): NodeRedisClient;
  connect(): Promise<NodeRedisClient>;
}

interface NodeRedis {
  createClient(options: { readonly socket: { readonly host: string; readonly port: number } }): NodeRedisClient;
}

interface Package {
  readonly lock: (
    client: NodeRedisClient,
    name: string,
    options: { readonly timeout: number; readonly failAfter: number },
  ) => Promise<() => Promise<void>>;
}

/** `simple-redis-mutex` on node-redis, its only client. Waiters are notified; it polls every 10 s only for crashes. */
export const simpleRedisMutex: Adapter = {
  title: 'simple-redis-mutex',
  waiting: 'told',
  hasFairLock: false,
  renews: false,
  plainCommands: ['set'],
  open: async ({ host, port }) => {
    const { lock } = loadPeer('simple-redis-mutex') as Package;
    const client = await (loadPeer('redis') as NodeRedis)
      .createClient({ socket: { host, port } })
      .on('error', (error) => process.stderr.write(`simple-redis-mutex: ${error.message}\n`))
      .connect();
    return {
      acquire: async (key, { wait }) => ({
        release: await lock(client, key, { timeout: PEER_TTL_MS, failAfter: Math.ceil(wait) }),
      }),
    };
  },
};
