import type { CounterOperations } from '../counter-transitions.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';

/** Semaphores, with and without ids for their permits, and latches have one table, as all of them are one string. */
export const counterTable = (store: MemoryStore): MemoryTable<number> => new MemoryTable(store, 'string');

/** A number under a name, in memory: the executable specification of `scripts/counter/*.lua`. */
export class MemoryCounter implements CounterOperations {
  protected readonly counters: MemoryTable<number>;

  /** @param announcesDeletion Whether those who wait are told of it. */
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

  async delete(name: string): Promise<boolean> {
    if (this.counters.get(name) === undefined) return false;
    this.store.delete(name);
    if (this.announcesDeletion) this.store.publish(this.channelOf(name));
    return true;
  }
}
