import type { ResultStore, Lookup, StoredResult, SaveResult } from '../result-store.js';
import { type HeldExclusiveLock, lockTable } from './lock.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';
import { flightLock, flightResult } from '../../keys/redisson-keys.js';

/** Results of single flights in memory: the executable specification of `scripts/single-flight/*.lua`. */
export class MemoryResultStore implements ResultStore {
  private readonly results: MemoryTable<StoredResult>;
  private readonly locks: MemoryTable<HeldExclusiveLock>;

  constructor(private readonly store: MemoryStore) {
    this.results = new MemoryTable(store, 'string of a result');
    this.locks = lockTable(store);
  }

  async find(name: string): Promise<Lookup> {
    return { now: this.store.now(), stored: this.results.get(flightResult(name)) };
  }

  async save({ name, owner, text, keep }: SaveResult): Promise<'kept' | 'lost'> {
    if (this.locks.find(flightLock(name))?.owner !== owner) return 'lost';
    const result = flightResult(name);
    this.results.get(result);
    this.results.set(result, { text, savedAt: this.store.now() }, keep);
    return 'kept';
  }
}
