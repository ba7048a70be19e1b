import { clientIdOf, type OwnerId } from '../../context/owner-ids.js';
import { clientChannel, clientsChannel, lockChannel, waitingClients } from '../../keys/redisson-keys.js';
import { grantText } from '../grant-text.js';
import type { WaitingEntry } from '../waiting-entry.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';

/** Milliseconds for which the entries last without a sign of life from any client. */
const ENTRIES_LAST = 60_000;

/** The table of the clients that wait for locks. */
export const waitingTable = (store: MemoryStore): MemoryTable<readonly WaitingEntry[]> =>
  new MemoryTable(store, 'zset of waiting clients');

/** The clients that wait for locks, in order of arrival: the executable specification of `shared/waiters/*.lua`. */
export class WaitingClients {
  private readonly entries: MemoryTable<readonly WaitingEntry[]>;

  constructor(private readonly store: MemoryStore) {
    this.entries = waitingTable(store);
  }

  has(name: string, { owner }: WaitingEntry): boolean {
    return this.of(name).some((entry) => entry.owner === owner);
  }

  /** Adds an entry, which keeps its place if it is there already. */
  add(name: string, entry: WaitingEntry): void {
    const entries = this.of(name);
    this.keep(name, this.has(name, entry) ? entries : [...entries, entry]);
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
  private pop(name: string): WaitingEntry | undefined {
    const [first] = this.of(name);
    if (first) this.remove(name, first);
    return first;
  }

  /**
   * Gives the lock to the client that has waited longest of those that listen, and removes its entry and all before it.
   * @returns Whether there was one.
   */
  next(name: string, give: (entry: WaitingEntry) => void): boolean {
    for (let entry = this.pop(name); entry; entry = this.pop(name)) {
      const channel = clientChannel(name, clientIdOf(entry.owner));
      if (this.store.subscribers(channel) === 0) continue;
      give(entry);
      this.store.publish(channel, grantText(entry, Math.floor(this.store.now())));
      if (entry.lease === entry.firstLease) this.store.publish(lockChannel(name), String(entry.lease));
      return true;
    }
    return false;
  }

  private of(name: string): readonly WaitingEntry[] {
    return this.entries.find(waitingClients(name)) ?? [];
  }

  private keep(name: string, entries: readonly WaitingEntry[]): void {
    this.entries.set(waitingClients(name), entries, ENTRIES_LAST);
  }
}
