import type { OwnerId } from '../../../context/owner-ids.js';
import type { WaitingWriter } from '../../lock-operations.js';
import { type HeldExclusiveLock, isShorter, leaseText } from '../lock.js';
import { type MemoryStore, MemoryTable } from '../memory-store.js';
import { readTimeout, readWriteLockChannel, waitingWriters } from '../../../keys/redisson-keys.js';

/**
 * State of a read-write lock that is held: by a writer, or else by readers. A writer may read as well, but no other
 * owner.
 */
export interface HeldReadWriteLock {
  readonly writer: HeldExclusiveLock | undefined;
  /** Hold count of each reader. */
  readonly readers: ReadonlyMap<OwnerId, number>;
}

export const readWriteTable = (store: MemoryStore): MemoryTable<HeldReadWriteLock> =>
  new MemoryTable(store, 'hash of a read-write lock');

/** One key for each read, which lives as long as the read; its value has no meaning. */
export const readTimeoutTable = (store: MemoryStore): MemoryTable<'1'> => new MemoryTable(store, 'string of a read');

/** For each waiting writer that goes first, until when it counts as waiting. */
export const waitingWritersTable = (store: MemoryStore): MemoryTable<ReadonlyMap<OwnerId, number>> =>
  new MemoryTable(store, 'zset of waiting writers');

/** The data of both halves of read-write locks: the executable specification of the includes of their scripts. */
export class ReadWriteData {
  readonly locks: MemoryTable<HeldReadWriteLock>;
  private readonly timeouts: MemoryTable<'1'>;
  private readonly writers: MemoryTable<ReadonlyMap<OwnerId, number>>;

  constructor(readonly store: MemoryStore) {
    this.locks = readWriteTable(store);
    this.timeouts = readTimeoutTable(store);
    this.writers = waitingWritersTable(store);
  }

  publish(name: string): void {
    this.store.publish(readWriteLockChannel(name));
  }

  /** Sets the lock, to last for `ttl` ms from now, and tells those that wait if that is shorter than before. */
  keep(name: string, held: HeldReadWriteLock, ttl: number): void {
    const before = this.store.remaining(name);
    this.locks.set(name, held, ttl);
    if (isShorter(ttl, before)) this.store.publish(readWriteLockChannel(name), leaseText(ttl));
  }

  free(name: string): void {
    this.store.delete(name);
    this.publish(name);
  }

  /** Sets the time-outs of the owner's reads number 1 to `count`. */
  setTimeouts(name: string, owner: OwnerId, count: number, lease: number): void {
    for (let n = 1; n <= count; n++) this.timeouts.set(readTimeout(name, owner, n), '1', lease);
  }

  /** Deletes the time-outs of the owner's reads after number `kept`. */
  deleteTimeouts(name: string, owner: OwnerId, kept: number, count: number): void {
    for (let n = kept + 1; n <= count; n++) this.store.delete(readTimeout(name, owner, n));
  }

  /** Milliseconds until the last of these reads ends; below 0 if none is alive. */
  longestRead(name: string, readers: HeldReadWriteLock['readers']): number {
    let longest = -2;
    for (const [owner, count] of readers) {
      for (let n = 1; n <= count; n++) longest = Math.max(longest, this.store.remaining(readTimeout(name, owner, n)));
    }
    return longest;
  }

  /** Counts the writer as waiting from now on. */
  announce(name: string, { id, slot }: WaitingWriter): void {
    const key = waitingWriters(name);
    const now = this.store.now();
    const waiting = [...(this.writers.find(key) ?? [])].filter(([, until]) => until > now);
    this.writers.set(key, new Map([...waiting, [id, now + slot]]), Math.max(this.store.remaining(key), slot));
  }

  /** @returns Whether it counted as waiting. */
  withdraw(name: string, id: OwnerId): boolean {
    const key = waitingWriters(name);
    const waiting = new Map(this.writers.find(key));
    if (!waiting.delete(id)) return false;
    if (waiting.size === 0) this.store.delete(key);
    else this.writers.set(key, waiting);
    return true;
  }

  /** The writer that counts as waiting for the longest time from now, and for how many milliseconds. */
  waitingWriter(name: string): { readonly id: OwnerId; readonly remaining: number } | undefined {
    const now = this.store.now();
    const [last] = [...(this.writers.find(waitingWriters(name)) ?? [])].sort(([, a], [, b]) => b - a);
    return last && last[1] > now ? { id: last[0], remaining: last[1] - now } : undefined;
  }
}
