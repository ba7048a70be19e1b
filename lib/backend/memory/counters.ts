import {
  type CounterOperations,
  type CounterState,
  MOST_PERMITS,
  type SemaphoreOperations,
  type TakeOutcome,
  tooManyPermits,
  type LatchOperations,
} from '../counter-operations.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';
import { semaphoreChannel, latchChannel } from '../../keys/redisson-keys.js';

/** One table for semaphores, with and without ids for their permits, and latches, since all of them are strings. */
export const counterTable = (store: MemoryStore): MemoryTable<number> => new MemoryTable(store, 'string');

/** A number under a name, in memory: the executable specification of `scripts/counter/*.lua`. */
export class MemoryCounter implements CounterOperations {
  protected readonly counters: MemoryTable<number>;

  /** @param announcesDeletion Whether a deletion is announced to waiters. */
  constructor(
    protected readonly store: MemoryStore,
    protected readonly channelOf: (name: string) => string,
    private readonly announcesDeletion: boolean,
  ) {
    this.counters = counterTable(store);
  }

  async trySet(name: string, count: number, ttl = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (this.counters.get(name) !== undefined) return false;
    this.counters.set(name, count, ttl);
    this.store.publish(this.channelOf(name));
    return true;
  }

  async count(name: string): Promise<number> {
    return this.counters.get(name) ?? 0;
  }

  async inspect(name: string): Promise<CounterState> {
    return { count: await this.count(name), remaining: this.store.remaining(name) };
  }

  async delete(name: string): Promise<boolean> {
    if (this.counters.get(name) === undefined) return false;
    this.store.delete(name);
    if (this.announcesDeletion) this.store.publish(this.channelOf(name));
    return true;
  }
}

/** The semaphore in memory: the executable specification of `scripts/semaphore/*.lua`. */
export class MemorySemaphore extends MemoryCounter implements SemaphoreOperations {
  constructor(store: MemoryStore) {
    super(store, semaphoreChannel, false);
  }

  async take(name: string, permits: number): Promise<TakeOutcome> {
    const available = this.counters.get(name);
    if (available === undefined || available < permits) {
      return { outcome: 'too-few', available: available ?? 0, isSet: available !== undefined };
    }
    this.counters.set(name, available - permits);
    return { outcome: 'taken', available: available - permits };
  }

  async drain(name: string): Promise<number> {
    const available = this.counters.get(name);
    if (available === undefined) return 0;
    this.counters.set(name, 0, Number.POSITIVE_INFINITY);
    return available;
  }

  async release(name: string, permits: number): Promise<void> {
    const available = this.sum(name, permits);
    this.counters.set(name, available);
    this.announce(name, available);
  }

  async releaseIfExists(name: string, permits: number): Promise<boolean> {
    if (this.counters.get(name) === undefined) return false;
    await this.release(name, permits);
    return true;
  }

  async add(name: string, delta: number): Promise<void> {
    const available = this.sum(name, delta);
    this.counters.set(name, available, Number.POSITIVE_INFINITY);
    this.announce(name, available);
  }

  private sum(name: string, more: number): number {
    const available = this.counters.get(name) ?? 0;
    if (Math.abs(available + more) > MOST_PERMITS) throw tooManyPermits(name, available, more);
    return available + more;
  }

  private announce(name: string, available: number): void {
    if (available >= 0) this.store.publish(this.channelOf(name));
  }
}

/** The count-down latch in memory: the executable specification of `scripts/latch/*.lua`. */
export class MemoryLatch extends MemoryCounter implements LatchOperations {
  constructor(store: MemoryStore) {
    super(store, latchChannel, true);
  }

  async countDown(name: string): Promise<void> {
    const count = this.counters.get(name);
    if (count === undefined) return;
    if (count > 1) this.counters.set(name, count - 1);
    else this.store.delete(name);
    // A latch that was set to 0 is open already.
    if (count === 1) this.store.publish(this.channelOf(name));
  }
}
