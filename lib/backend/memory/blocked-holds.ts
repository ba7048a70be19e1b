import { blockedHolds } from '../../keys/redisson-keys.js';
import { type BlockedHoldOperations, type BlockedHoldRecord, MOST_RECORDS } from '../blocked-hold-operations.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';

/** As in a sorted set of Redis. */
const inOrder = (a: BlockedHoldRecord, b: BlockedHoldRecord): number => {
  if (a.end !== b.end) return a.end - b.end;
  return a.text < b.text ? -1 : 1;
};

/** Records of blocked holds in memory: the executable specification of `scripts/deadlock/*.lua`. */
export class MemoryBlockedHolds implements BlockedHoldOperations {
  /** The end of each record. */
  private readonly records: MemoryTable<ReadonlyMap<string, number>>;

  constructor(private readonly store: MemoryStore) {
    this.records = new MemoryTable(store, 'zset of blocked holds');
  }

  async keep(name: string, text: string, ms: number): Promise<void> {
    const key = blockedHolds(name);
    const now = this.store.now();
    const records = new Map([...this.current(key), [text, now + ms] as const]);
    this.records.set(key, records, Math.max(...records.values()) - now);
  }

  async drop(name: string, text: string): Promise<void> {
    const key = blockedHolds(name);
    const left = new Map(this.current(key));
    left.delete(text);
    if (left.size > 0) this.records.set(key, left);
    else this.store.delete(key);
  }

  async find(name: string): Promise<readonly BlockedHoldRecord[]> {
    const found = [...this.current(blockedHolds(name))].map(([text, end]) => ({ text, end }));
    return found.toSorted(inOrder).slice(0, MOST_RECORDS);
  }

  private current(key: string): readonly (readonly [string, number])[] {
    return [...(this.records.get(key) ?? [])].filter(([, end]) => end > this.store.now());
  }
}
