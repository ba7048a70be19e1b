import type { LockBackend, PubSub } from '../lock-backend.js';
import type { ServerHealth } from '../server-health.js';
import type { Fencing } from '../lock-operations.js';
import { MemoryBlockedHolds } from './blocked-holds.js';
import { MemoryFairLock } from './fair-lock.js';
import { MemoryInspection } from './inspection.js';
import { MemoryGroupLock } from './group-lock.js';
import { MemoryLimit } from './limit.js';
import { MemoryGrantingLock } from './granting-lock.js';
import { MemoryFencedLock } from './lock.js';
import { MemoryPermits } from './permits.js';
import { MemoryConversion } from './read-write/conversion.js';
import { MemoryReadLock, MemoryWriteLock } from './read-write/read-write-lock.js';
import { ReadWriteData } from './read-write/read-write-data.js';
import { MemorySemaphore, MemoryLatch } from './counters.js';
import { MemoryResultStore } from './result-store.js';
import { MemoryTakeOver } from './take-over.js';
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
  readonly limit: MemoryLimit;
  readonly readLock: MemoryReadLock;
  readonly writeLock: MemoryWriteLock;
  readonly conversion: MemoryConversion;
  readonly semaphore: MemorySemaphore;
  readonly permitExpirableSemaphore: MemoryPermits;
  readonly countDownLatch: MemoryLatch;
  readonly singleFlight: MemoryResultStore;
  readonly takeOver: MemoryTakeOver;
  readonly inspection: MemoryInspection;
  readonly blockedHolds: MemoryBlockedHolds;
  readonly pubSub: PubSub;

  constructor(store: MemoryStore, fencing: Fencing = 'clock') {
    this.lock = new MemoryGrantingLock(store);
    this.fairLock = new MemoryFairLock(store);
    this.fencedLock = new MemoryFencedLock(store, fencing);
    this.groupLock = new MemoryGroupLock(store);
    this.limit = new MemoryLimit(store);
    const readWrite = new ReadWriteData(store);
    this.readLock = new MemoryReadLock(readWrite);
    this.writeLock = new MemoryWriteLock(readWrite);
    this.conversion = new MemoryConversion(readWrite);
    this.semaphore = new MemorySemaphore(store);
    this.countDownLatch = new MemoryLatch(store);
    this.permitExpirableSemaphore = new MemoryPermits(store);
    this.singleFlight = new MemoryResultStore(store);
    const { lock, fairLock, fencedLock } = this;
    this.takeOver = new MemoryTakeOver({ plain: lock, fair: fairLock, fenced: fencedLock, spin: lock });
    this.inspection = new MemoryInspection(store);
    this.blockedHolds = new MemoryBlockedHolds(store);
    this.pubSub = { subscribe: async (channel, listener) => store.subscribe(channel, listener) };
  }

  /** The memory of a process has no outages. */
  watch(): void {}

  refuse(): void {}

  async check(): Promise<readonly ServerHealth[]> {
    return [];
  }

  open(): void {}

  async close(): Promise<void> {}
}
