import type { MessageListener, Subscription } from '../lock-backend.js';
import { wrongKeyType } from '../../errors.js';
import { type MonotonicScheduler, Stopwatch } from '../../time/monotonic-scheduler.js';

interface Entry {
  /** Type of the table to which the value belongs. */
  readonly type: string;
  readonly value: unknown;
  readonly expiresAt: number;
}

/** Number of names from which expired ones are removed. */
const SWEEP_FROM = 1000;

/**
 * The memory backend's counterpart of a Redis server: names with values that may expire, and channels. Several backends
 * may share one store, as several clients share a server.
 */
export class MemoryStore {
  private readonly entries = new Map<string, Entry>();
  private readonly channels = new Map<string, Set<MessageListener>>();

  private sweepAt = SWEEP_FROM;

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** A stopwatch that started `ago` ms ago. Default: starts now. */
  stopwatch(ago = 0): Stopwatch {
    return new Stopwatch(this.scheduler, ago);
  }

  /** The counterpart of the server's clock, ms. */
  now(): number {
    return this.scheduler.now();
  }

  entry(name: string): Entry | undefined {
    const entry = this.entries.get(name);
    if (!entry || entry.expiresAt > this.scheduler.now()) return entry;
    this.entries.delete(name);
    return undefined;
  }

  /** Milliseconds until `name` expires; -1 without end, -2 if it does not exist, as in Redis. */
  remaining(name: string): number {
    const entry = this.entry(name);
    if (!entry) return -2;
    return entry.expiresAt === Number.POSITIVE_INFINITY ? -1 : Math.ceil(entry.expiresAt - this.scheduler.now());
  }

  /** @param ttl Milliseconds; `Infinity`: for ever; absent: the present one of the name, or for ever. */
  set(name: string, type: string, value: unknown, ttl?: number): void {
    if (this.entries.size >= this.sweepAt) this.sweep();
    const kept = this.entry(name)?.expiresAt ?? Number.POSITIVE_INFINITY;
    this.entries.set(name, { type, value, expiresAt: ttl === undefined ? kept : this.scheduler.now() + ttl });
  }

  delete(name: string): boolean {
    return this.entry(name) !== undefined && this.entries.delete(name);
  }

  /** Names that have not expired, for tests and for inspection. */
  names(): string[] {
    return [...this.entries.keys()].filter((name) => this.entry(name));
  }

  /** @returns Number of clients with a listener; the process is one client: 1, or 0. */
  publish(channel: string, message?: string): number {
    const listeners = this.channels.get(channel);
    // Not `queueMicrotask`, which the fake timers of a test runner replace: the message would wait for an advance.
    for (const listener of listeners ?? []) void Promise.resolve().then(() => listener(message));
    return listeners ? 1 : 0;
  }

  subscribe(channel: string, listener: MessageListener): Subscription {
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

  /** Number of listeners of `channel`. */
  subscribers(channel: string): number {
    return this.channels.get(channel)?.size ?? 0;
  }

  /**
   * Removes expired names that are never requested again, which would stay for ever. Amortized: at most once for each
   * name that was set.
   */
  private sweep(): void {
    for (const name of this.entries.keys()) this.entry(name);
    this.sweepAt = Math.max(SWEEP_FROM, 2 * this.entries.size);
  }
}

/** Redis's own word for a type. */
export const redisTypeOf = (type: string): string => type.replace(/ of .*/, '');

/** The names of a store whose values have one type. */
export class MemoryTable<V> {
  /** @param type Its name in Redis, such as `zset`, and after ` of ` a distinction from other tables of the store. */
  constructor(
    private readonly store: MemoryStore,
    readonly type: string,
  ) {}

  /** @throws LockKeyTypeError if the name belongs to a value of another type. */
  get(name: string): V | undefined {
    const entry = this.store.entry(name);
    if (entry && entry.type !== this.type) throw wrongKeyType(name, this.foreign(entry.type));
    return this.find(name);
  }

  /** As {@link get}, but a value of another type only means that ours does not exist any more. */
  find(name: string): V | undefined {
    const entry = this.store.entry(name);
    // Only this table sets values of its type.
    return entry?.type === this.type ? (entry.value as V) : undefined;
  }

  /** @param ttl Milliseconds; absent: the present one of the name, or for ever. */
  set(name: string, value: V, ttl?: number): void {
    this.store.set(name, this.type, value, ttl);
  }

  /** The type that Redis would report, with its distinction if only that differs. */
  private foreign(found: string): string {
    return redisTypeOf(found) === redisTypeOf(this.type) ? found : redisTypeOf(found);
  }
}
