import type { OwnerId } from '../../context/owner-ids.js';
import { globMatcher } from '../../keys/glob.js';
import {
  holderRecords,
  latchChannel,
  limitChannel,
  limitPermits,
  lockChannel,
  lockToken,
  permitDeadlines,
  readTimeout,
  readWriteLockChannel,
  semaphoreChannel,
  waitingWriters,
} from '../../keys/redisson-keys.js';
import {
  type FoundName,
  type InspectionOperations,
  MOST_LISTED,
  type NameSearch,
  NO_QUEUE,
  type RecordRequest,
  type StoredHolder,
  type StoredQueue,
  type StoredState,
} from '../inspection-operations.js';
import { counterTable } from './counters.js';
import { MemoryFairQueue } from './fair-queue.js';
import { groupTable, type HeldFields } from './group-lock.js';
import { MemoryLimitData } from './limit-data.js';
import { lockTable, tokenTable } from './lock.js';
import { type MemoryStore, MemoryTable, redisTypeOf } from './memory-store.js';
import { deadlineTable } from './permits.js';
import { type HeldReadWriteLock, readWriteTable, waitingWritersTable } from './read-write/read-write-data.js';
import { WaitingClients } from './waiting-clients.js';

type Held = Pick<StoredState, 'shape' | 'holders' | 'holderCount' | 'problem'>;

const NONE: StoredState = {
  shape: 'none',
  holders: [],
  holderCount: 0,
  listeners: 0,
  queue: NO_QUEUE,
  clients: NO_QUEUE,
  writers: NO_QUEUE,
};

const queueOf = (owners: readonly OwnerId[]): StoredQueue => ({
  count: owners.length,
  owners: owners.slice(0, MOST_LISTED),
});

/** Reads what is stored in memory: the executable specification of `scripts/inspection/*.lua`. */
export class MemoryInspection implements InspectionOperations {
  private readonly records: MemoryTable<string>;
  private readonly clients: WaitingClients;
  private readonly limits: MemoryLimitData;

  constructor(private readonly store: MemoryStore) {
    this.records = new MemoryTable(store, 'string of a record');
    this.clients = new WaitingClients(store);
    this.limits = new MemoryLimitData(store);
  }

  async lock(name: string): Promise<StoredState> {
    const { store } = this;
    const fence = tokenTable(store).find(lockToken(name));
    const writers = waitingWritersTable(store).find(waitingWriters(name)) ?? [];
    const waiting = [...writers]
      .filter(([, until]) => until > store.now())
      .sort(([, a], [, b]) => a - b)
      .map(([writer]) => writer);
    const held = this.heldUnder(name);
    const listeners = this.listeners(lockChannel(name)) + this.listeners(readWriteLockChannel(name));
    return {
      ...NONE,
      ...held,
      listeners,
      queue: queueOf(new MemoryFairQueue(store, name).owners),
      clients: queueOf(this.clients.owners(name)),
      writers: queueOf(waiting),
      ...(fence !== undefined && { fence }),
    };
  }

  async limit(name: string): Promise<StoredState> {
    const listeners = this.listeners(limitChannel(name));
    const foreign = this.foreign(limitPermits(name), 'zset of a limit');
    if (foreign) return { ...NONE, ...foreign, listeners };
    const stored = this.limits.find(name);
    if (!stored) return { ...NONE, listeners };
    const now = this.store.now();
    const places = [...stored.places].filter(([, { until }]) => until > now);
    const holders = [...this.limits.inUse(stored)].map(([owner, deadline]) => this.permit(name, owner, deadline));
    return {
      ...NONE,
      shape: 'limit',
      ...listed(holders),
      listeners,
      queue: queueOf(places.map(([owner]) => owner)),
      number: stored.limit,
    };
  }

  async permits(name: string): Promise<StoredState> {
    const listeners = this.listeners(semaphoreChannel(name));
    const foreign = this.foreign(name, 'string') ?? this.foreign(permitDeadlines(name), 'zset of permits');
    if (foreign) return { ...NONE, ...foreign, listeners };
    const number = counterTable(this.store).find(name);
    const out = [...(deadlineTable(this.store).find(permitDeadlines(name)) ?? [])];
    const inUse = out.filter(([, deadline]) => deadline > this.store.now());
    const holders = inUse.map(([id, deadline]) => this.permit(name, id, deadline));
    if (number === undefined && holders.length === 0) return { ...NONE, listeners };
    const available = (number ?? 0) + out.length - inUse.length;
    return { ...NONE, shape: 'permits', ...listed(holders), listeners, number: available };
  }

  async semaphore(name: string): Promise<StoredState> {
    return this.counter(name, semaphoreChannel(name));
  }

  async latch(name: string): Promise<StoredState> {
    return this.counter(name, latchChannel(name));
  }

  async *names({ pattern, batch }: NameSearch): AsyncGenerator<readonly FoundName[]> {
    const matches = globMatcher(pattern);
    const keys = this.store.names();
    for (let at = 0; at < keys.length; at += batch) {
      yield keys.slice(at, at + batch).flatMap((key) => {
        const found = this.foundUnder(key);
        return found && matches(found.name) ? [found] : [];
      });
    }
  }

  async keepRecord({ name, owner, text, lease }: RecordRequest): Promise<void> {
    this.records.set(holderRecords(name) + owner, text, lease);
  }

  async dropRecord(name: string, owner: OwnerId): Promise<void> {
    this.store.delete(holderRecords(name) + owner);
  }

  private foundUnder(key: string): FoundName | undefined {
    const type = this.store.entry(key)?.type;
    if (type === undefined) return undefined;
    if (redisTypeOf(type) === 'hash') return { name: key, key, what: 'lock' };
    if (type !== 'zset of a limit' && type !== 'zset of permits') return undefined;
    const [what, keyOf] =
      type === 'zset of a limit' ? (['limit', limitPermits] as const) : (['permits', permitDeadlines] as const);
    const stem = key.slice(0, key.lastIndexOf(':'));
    const name = [stem.slice(1, -1), stem, stem.replace(/:$/, '')].find((each) => each !== '' && keyOf(each) === key);
    return name === undefined ? undefined : { name, key, what };
  }

  private heldUnder(name: string): Held {
    const { store } = this;
    const type = store.entry(name)?.type;
    const exclusive = lockTable(store).find(name);
    if (exclusive) {
      const holder = { ...exclusive, mode: 'exclusive', remaining: store.remaining(name) } as const;
      return { shape: 'exclusive', ...listed([this.withRecord(name, holder)]) };
    }
    const readWrite = readWriteTable(store).find(name);
    if (readWrite) return this.readWrite(name, readWrite);
    const group = groupTable(store).find(name);
    if (group) return this.group(name, group);
    return type === undefined ? NONE : foreignType(type);
  }

  private readWrite(name: string, { writer, readers }: HeldReadWriteLock): Held {
    const { store } = this;
    const left = (owner: OwnerId, count: number): number =>
      Math.max(0, ...Array.from({ length: count }, (_, at) => store.remaining(readTimeout(name, owner, at + 1))));
    const reads = [...readers].map(([owner, count]): StoredHolder => {
      return { owner, mode: 'read', count, remaining: left(owner, count) };
    });
    const writes = writer ? [{ ...writer, mode: 'write', remaining: store.remaining(name) } as const] : [];
    const holders = [...writes, ...reads].map((holder) => this.withRecord(name, holder));
    return { shape: writer ? 'write' : 'read', ...listed(holders) };
  }

  private group(name: string, held: HeldFields): Held {
    const now = this.store.now();
    const alive = [...held].filter(([, { expiry }]) => expiry >= now);
    const owners = [...new Set(alive.map(([, { owner }]) => owner))];
    const holders = owners.map((owner): StoredHolder => {
      const fields = alive.filter(([, field]) => field.owner === owner);
      const count = Math.min(...fields.map(([, field]) => field.count));
      const remaining = Math.ceil(Math.min(...fields.map(([, field]) => field.expiry)) - now);
      return { owner, mode: 'exclusive', count, remaining, fields: fields.map(([field]) => field).toSorted() };
    });
    const listedHolders = listed(holders.map((holder) => this.withRecord(name, holder)));
    return { shape: holders.length > 0 ? 'group' : 'none', ...listedHolders };
  }

  private permit(name: string, owner: string, deadline: number): StoredHolder {
    const remaining = Number.isFinite(deadline) ? Math.ceil(deadline - this.store.now()) : -1;
    return this.withRecord(name, { owner, mode: 'permit', count: 1, remaining });
  }

  private withRecord(name: string, holder: StoredHolder): StoredHolder {
    const record = this.records.find(holderRecords(name) + holder.owner);
    return record === undefined ? holder : { ...holder, record };
  }

  private counter(name: string, channel: string): StoredState {
    const listeners = this.listeners(channel);
    const foreign = this.foreign(name, 'string');
    if (foreign) return { ...NONE, ...foreign, listeners };
    const number = counterTable(this.store).find(name);
    return number === undefined ? { ...NONE, listeners } : { ...NONE, shape: 'number', listeners, number };
  }

  private foreign(key: string, expected: string): Held | undefined {
    const type = this.store.entry(key)?.type;
    return type === undefined || type === expected ? undefined : foreignType(type);
  }

  /** The process is one client, however many listeners it has. */
  private listeners(channel: string): number {
    return Math.min(1, this.store.subscribers(channel));
  }
}

const listed = (holders: readonly StoredHolder[]): Pick<StoredState, 'holders' | 'holderCount'> => ({
  holders: holders.slice(0, MOST_LISTED),
  holderCount: holders.length,
});

const foreignType = (type: string): Held => ({
  shape: 'foreign',
  holders: [],
  holderCount: 0,
  problem: `the key is a ${redisTypeOf(type)}`,
});
