import type { LockBackend, WakeUps } from '../lock-backend.js';
import { MemoryLock } from './lock.js';
import type { MemoryStore } from './store.js';

/**
 * Locks in the process's own memory, for tests and for development without a server: the same transitions as in Redis,
 * on the injected clock, never unavailable.
 */
export class MemoryBackend implements LockBackend {
  readonly lock: MemoryLock;
  readonly spinLock: MemoryLock;
  readonly wakeUps: WakeUps;

  constructor(store: MemoryStore) {
    this.lock = new MemoryLock(store);
    this.spinLock = new MemoryLock(store, false);
    this.wakeUps = { subscribe: async (channel, listener) => store.subscribe(channel, listener) };
  }

  open(): void {}

  async close(): Promise<void> {}
}
