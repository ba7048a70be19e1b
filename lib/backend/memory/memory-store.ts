import type { Subscription } from '../lock-backend.js';
import { wrongKeyType } from '../../errors.js';
import { type MonotonicScheduler, Stopwatch } from '../../time/monotonic-scheduler.js';

interface Entry {
  /** That of the table to which the value belongs. */
  readonly type: string;
  readonly value: unknown;
  readonly expiresAt: number;
}

/** Number of names from which expired ones are looked for. */
const SWEEP_FROM = 1000;

/**
 * What a Redis server is to the memory backend: names with values that may expire, and channels. Several backends may
 * share one store, as several clients share a server.
 */
export class MemoryStore {
  private readonly entries = new Map<string, Entry>();
  private readonly channels = new Map<string, Set<() => void>>();

  private sweepAt = SWEEP_FROM;

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** A stopwatch that starts now. */
  stopwatch(): Stopwatch {
    return new Stopwatch(this.scheduler);
  }

  /** What stands for the server's clock, ms. */
  now(): number {
    return this.scheduler.now();
  }

  entry(name: string): Entry | undefined {
    const entry = this.entries.get(name);
    if (!entry || entry.expiresAt > this.scheduler.now()) return entry;
    this.entries.delete(name);
    return undefined;
  }

  /** Milliseconds `name` has left; -1 without end, -2 where nothing lives under it, as Redis says. */
  remaining(name: string): number {
    const entry = this.entry(name);
    if (!entry) return -2;
    return entry.expiresAt === Number.POSITIVE_INFINITY ? -1 : Math.ceil(entry.expiresAt - this.scheduler.now());
  }

  /** @param ttl Milliseconds; `Infinity` for ever; absent: as long as what is there has, or for ever. */
  set(name: string, type: string, value: unknown, ttl?: number): void {
    if (this.entries.size >= this.sweepAt) this.sweep();
    const kept = this.entry(name)?.expiresAt ?? Number.POSITIVE_INFINITY;
    this.entries.set(name, { type, value, expiresAt: ttl === undefined ? kept : this.scheduler.now() + ttl });
  }

  delete(name: string): boolean {
    return this.entry(name) !== undefined && this.entries.delete(name);
  }

  /** Names that are alive, for tests and for looking at what is held. */
  names(): string[] {
    return [...this.entries.keys()].filter((name) => this.entry(name));
  }

  /** @returns How many listen, where each process is one client: 1, or 0. */
  publish(channel: string): number {
    const listeners = this.channels.get(channel);
    for (const listener of listeners ?? []) queueMicrotask(listener);
    return listeners ? 1 : 0;
  }

  subscribe(channel: string, listener: () => void): Subscription {
    const listeners = this.channels.get(channel) ?? new Set();
    this.channels.set(channel, listeners.add(listener));
    return {
      alive: true,
      cancel: () => {
        listeners.delete(listener);
        if (listeners.size === 0) this.channels.delete(channel);
      },
    };
  }

  /** How many listen to `channel`. */
  subscribers(channel: string): number {
    return this.channels.get(channel)?.size ?? 0;
  }

  /** Names that nobody asks for again would stay for ever. Amortized: at most once for each name that was set. */
  private sweep(): void {
    for (const name of this.entries.keys()) this.entry(name);
    this.sweepAt = Math.max(SWEEP_FROM, 2 * this.entries.size);
  }
}

/** Redis's own word for a type. */
const redisTypeOf = (type: string): string => type.replace(/ of .*/, '');

/** The names of a store under which values of one type live. */
export class MemoryTable<V> {
  /**
   * @param type What Redis calls it, such as `zset`, and behind ` of ` what tells it from other tables of the store.
   */
  constructor(
    private readonly store: MemoryStore,
    readonly type: string,
  ) {}

  /** @throws WrongKeyTypeError when something else lives under the name. */
  get(name: string): V | undefined {
    const entry = this.store.entry(name);
    if (entry && entry.type !== this.type) throw wrongKeyType(name, this.foreign(entry.type));
    return this.find(name);
  }

  /** As {@link get}, where something else under the name only means that ours is gone. */
  find(name: string): V | undefined {
    const entry = this.store.entry(name);
    // Only this table sets values of its type.
    return entry?.type === this.type ? (entry.value as V) : undefined;
  }

  /** @param ttl Milliseconds; absent: as long as it had, or for ever. */
  set(name: string, value: V, ttl?: number): void {
    this.store.set(name, this.type, value, ttl);
  }

  /** What Redis would say that it found: the type, and more where that is the same. */
  private foreign(found: string): string {
    return redisTypeOf(found) === redisTypeOf(this.type) ? found : redisTypeOf(found);
  }
}
