import { clientIdOf, type OwnerId } from '../../context/owner-ids.js';
import { clientChannel, clientsChannel, lockChannel, waitingClients } from '../../keys/redisson-keys.js';
import { grantText } from '../grant-text.js';
import type { WaitingEntry } from '../waiting-entry.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';

/** Milliseconds for which the entries last without a sign of life from any client. */
const ENTRIES_LAST = 60_000;

/** Milliseconds up to which an entry is given its lease at once; see `shared/waiters/pass-on.lua`. */
const FRESH = 100;
/** Milliseconds after which the other waiters look by themselves. */
const OTHERS_LOOK = 5000;

/** An entry, and when it was added, ms. */
interface StoredEntry extends WaitingEntry {
  readonly arrived: number;
}

/** The table of the clients that wait for locks. */
export const waitingTable = (store: MemoryStore): MemoryTable<readonly StoredEntry[]> =>
  new MemoryTable(store, 'zset of waiting clients');

/** The clients that wait for locks, in order of arrival: the executable specification of `shared/waiters/*.lua`. */
export class WaitingClients {
  private readonly entries: MemoryTable<readonly StoredEntry[]>;

  constructor(private readonly store: MemoryStore) {
    this.entries = waitingTable(store);
  }

  has(name: string, { owner }: WaitingEntry): boolean {
    return this.of(name).some((entry) => entry.owner === owner);
  }

  /** Adds an entry, which keeps its place if it is there already. */
  add(name: string, entry: WaitingEntry): void {
    const entries = this.of(name);
    const stored = { ...entry, arrived: this.store.now() };
    this.keep(name, this.has(name, entry) ? entries : [...entries, stored]);
  }

  remove(name: string, { owner }: WaitingEntry): void {
    const left = this.of(name).filter((entry) => entry.owner !== owner);
    if (left.length > 0) this.entries.set(waitingClients(name), left);
    else this.store.delete(waitingClients(name));
  }

  count(name: string): number {
    return this.of(name).length;
  }

  owners(name: string): readonly OwnerId[] {
    return this.of(name).map(({ owner }) => owner);
  }

  /** How many of those that listen to the lock cannot be given it. */
  others(name: string): number {
    return Math.max(0, this.store.subscribers(lockChannel(name)) - this.store.subscribers(clientsChannel(name)));
  }

  /** Removes the entry that has waited longest. */
  private pop(name: string): StoredEntry | undefined {
    const [first] = this.of(name);
    if (first) this.remove(name, first);
    return first;
  }

  /**
   * Gives the lock to the client that has waited longest of those that listen, and removes its entry and all before it.
   * @returns Whether there was one.
   */
  next(name: string, give: (owner: OwnerId, lease: number) => void): boolean {
    for (let entry = this.pop(name); entry; entry = this.pop(name)) {
      const { owner, firstLease, arrived } = entry;
      const channel = clientChannel(name, clientIdOf(owner));
      if (this.store.subscribers(channel) === 0) continue;
      const now = Math.floor(this.store.now());
      const lease = now - arrived <= FRESH ? entry.lease : firstLease;
      give(owner, lease);
      this.store.publish(channel, grantText(owner, lease, now));
      if (lease === firstLease || lease < OTHERS_LOOK) this.store.publish(lockChannel(name), String(lease));
      return true;
    }
    return false;
  }

  private of(name: string): readonly StoredEntry[] {
    return this.entries.find(waitingClients(name)) ?? [];
  }

  private keep(name: string, entries: readonly StoredEntry[]): void {
    this.entries.set(waitingClients(name), entries, ENTRIES_LAST);
  }
}
