import type { Subscription } from '../lock-backend.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import { Stopwatch } from '../../time/stopwatch.js';

interface Entry<V> {
  readonly value: V;
  readonly expiresAt: number;
}

/** Number of names from which expired ones are looked for. */
const SWEEP_FROM = 1000;

/**
 * What a Redis server is to the memory backend: names with values that expire, and channels. Several backends may share
 * one store, as several clients share a server.
 */
export class MemoryStore<V> {
  private readonly entries = new Map<string, Entry<V>>();
  private readonly channels = new Map<string, Set<() => void>>();

  private sweepAt = SWEEP_FROM;

  constructor(private readonly scheduler: SteadyScheduler) {}

  /** A stopwatch that starts now. */
  stopwatch(): Stopwatch {
    return new Stopwatch(this.scheduler);
  }

  get(name: string): V | undefined {
    return this.live(name)?.value;
  }

  /** Milliseconds `name` has left; -2 where nothing lives under it, as Redis says. */
  remaining(name: string): number {
    const entry = this.live(name);
    return entry ? Math.ceil(entry.expiresAt - this.scheduler.now()) : -2;
  }

  set(name: string, value: V, ttl: number): void {
    if (this.entries.size >= this.sweepAt) this.sweep();
    this.entries.set(name, { value, expiresAt: this.scheduler.now() + ttl });
  }

  delete(name: string): boolean {
    return this.live(name) !== undefined && this.entries.delete(name);
  }

  /** Names that are alive, for tests and for looking at what is held. */
  names(): string[] {
    return [...this.entries.keys()].filter((name) => this.live(name));
  }

  publish(channel: string): void {
    for (const listener of this.channels.get(channel) ?? []) queueMicrotask(listener);
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
    for (const name of this.entries.keys()) this.live(name);
    this.sweepAt = Math.max(SWEEP_FROM, 2 * this.entries.size);
  }

  private live(name: string): Entry<V> | undefined {
    const entry = this.entries.get(name);
    if (!entry || entry.expiresAt > this.scheduler.now()) return entry;
    this.entries.delete(name);
    return undefined;
  }
}
