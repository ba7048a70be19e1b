import type { Redis } from 'ioredis';
import type { Adapter } from './adapter.js';
import { connect } from './client.js';
import { loadPeer } from './load-peer.js';
import { attemptsFor, PEER_TTL_MS, POLL_MS } from './polling.js';

interface Redlock {
  lock(key: string, ttl: number): PromiseLike<{ unlock(): Promise<unknown> }>;
}

type Package = new (
  clients: readonly Redis[],
  options: { readonly retryCount: number; readonly retryDelay: number; readonly retryJitter: number },
) => Redlock;

/** `redlock` 4 with one client, as many attempts as fit into the wait, and the jitter that its README advises. */
export const redlock4: Adapter = {
  title: 'redlock 4',
  waiting: 'polls',
  hasFairLock: false,
  renews: false,
  open: async (address) => {
    const RedlockOf4 = loadPeer('redlock4') as Package;
    const client = await connect(address);
    // Each object has a fixed number of attempts.
    const byWait = new Map<number, Redlock>();
    return {
      acquire: async (key, { wait }) => {
        const retryCount = attemptsFor(wait);
        let redlock = byWait.get(retryCount);
        if (!redlock) {
          redlock = new RedlockOf4([client], { retryCount, retryDelay: POLL_MS, retryJitter: POLL_MS });
          byWait.set(retryCount, redlock);
        }
        const lock = await redlock.lock(key, PEER_TTL_MS);
        return { release: () => lock.unlock() };
      },
    };
  },
};
