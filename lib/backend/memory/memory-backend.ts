import type { LockBackend, PubSub } from '../lock-backend.js';
import type { Fencing } from '../lock-operations.js';
import { MemoryFairLock } from './fair-lock.js';
import { MemoryGroupLock } from './group-lock.js';
import { MemoryGrantingLock } from './granting-lock.js';
import { MemoryFencedLock } from './lock.js';
import { MemoryPermits } from './permits.js';
import { MemoryReadLock, MemoryWriteLock } from './read-write-lock.js';
import { ReadWriteData } from './read-write-data.js';
import { MemorySemaphore, MemoryLatch } from './counters.js';
import { MemoryResultStore } from './result-store.js';
import type { MemoryStore } from './memory-store.js';

/**
 * Locks in the memory of the process, for tests and for development without a server: the same operations as in Redis,
 * on the injected clock, never unavailable.
 */
export class MemoryBackend implements LockBackend {
  readonly lock: MemoryGrantingLock;
  readonly fairLock: MemoryFairLock;
  readonly fencedLock: MemoryFencedLock;
  readonly groupLock: MemoryGroupLock;
  readonly readLock: MemoryReadLock;
  readonly writeLock: MemoryWriteLock;
  readonly semaphore: MemorySemaphore;
  readonly permitExpirableSemaphore: MemoryPermits;
  readonly countDownLatch: MemoryLatch;
  readonly singleFlight: MemoryResultStore;
  readonly pubSub: PubSub;

  constructor(store: MemoryStore, fencing: Fencing = 'clock') {
    this.lock = new MemoryGrantingLock(store);
    this.fairLock = new MemoryFairLock(store);
    this.fencedLock = new MemoryFencedLock(store, fencing);
    this.groupLock = new MemoryGroupLock(store);
    const readWrite = new ReadWriteData(store);
    this.readLock = new MemoryReadLock(readWrite);
    this.writeLock = new MemoryWriteLock(readWrite);
    this.semaphore = new MemorySemaphore(store);
    this.countDownLatch = new MemoryLatch(store);
    this.permitExpirableSemaphore = new MemoryPermits(store);
    this.singleFlight = new MemoryResultStore(store);
    this.pubSub = { subscribe: async (channel, listener) => store.subscribe(channel, listener) };
  }

  /** The memory of a process has no outages. */
  watch(): void {}

  refuse(): void {}

  open(): void {}

  async close(): Promise<void> {}
}
