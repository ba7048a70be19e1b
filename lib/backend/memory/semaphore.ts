import { semaphoreChannel } from '../../keys/lock-name.js';
import { MOST_PERMITS, type SemaphoreOperations, type TakeOutcome, tooManyPermits } from '../counter-operations.js';
import { MemoryCounter } from './counters.js';
import type { MemoryStore } from './memory-store.js';

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
