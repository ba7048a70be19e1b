import type { Redis } from 'ioredis';
import type { Adapter } from './adapter.js';
import { connect } from './client.js';
import { attemptsFor, PEER_TTL_MS, POLL_MS } from './polling.js';

interface RetrySettings {
  readonly retryCount: number;
  readonly retryDelay: number;
  readonly retryJitter: number;
}

interface Redlock {
  acquire(resources: readonly string[], ttl: number, settings: RetrySettings): Promise<{ release(): Promise<unknown> }>;
  on(event: 'error', listener: () => void): unknown;
}

export type RedlockClass = new (clients: readonly Redis[], settings: RetrySettings) => Redlock;

/**
 * `redlock` 5 and its forks, with one client and as many attempts as fit into the wait. Only `using` extends a lock,
 * `acquire` does not.
 */
export const redlock5Adapter = (title: string, load: () => RedlockClass): Adapter => ({
  title,
  waiting: 'polls',
  hasFairLock: false,
  renews: false,
  open: async (address) => {
    const RedlockOf5 = load();
    const settingsFor = (wait: number): RetrySettings => ({
      retryCount: attemptsFor(wait),
      retryDelay: POLL_MS,
      retryJitter: POLL_MS,
    });
    const redlock = new RedlockOf5([await connect(address)], settingsFor(0));
    // Every attempt that finds the lock taken emits 'error'. Failures are thrown as well.
    redlock.on('error', () => {});
    return { acquire: (key, { wait }) => redlock.acquire([key], PEER_TTL_MS, settingsFor(wait)) };
  },
});
