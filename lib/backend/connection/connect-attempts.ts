import type { MonotonicScheduler } from '../../time/scheduler.js';

/** The shortest and the longest time from the beginning of an attempt to that of the next, ms. */
const FASTEST_MS = 50;
const SLOWEST_MS = 700;
/** How long an attempt to connect may last, ms, and each reply of its handshake; and how long on a slow network. */
const ATTEMPT_MS = 800;
const SLOW_ATTEMPT_MS = 2000;
/** Every so many attempts of a connection that was never established is a slow one. */
const SLOW_EVERY = 4;

/** Milliseconds from the beginning of an attempt to that of the next, after `failures` failed ones in a row. */
const reconnectDelay = (failures: number): number => {
  const cap = Math.min(SLOWEST_MS, FASTEST_MS * 2 ** Math.min(failures, 10));
  return Math.max(FASTEST_MS, Math.random() * cap);
};

/**
 * The attempts to establish one connection. In a network that swallows packets each has to end soon, and the next has to
 * follow at once: the server may be back meanwhile. But a network may be slow, so an attempt may take three times as long
 * as the last one that succeeded.
 */
export class ConnectAttempts {
  /** Failed attempts since the last one that became ready. */
  private failures = 0;
  private startedAt = Number.NEGATIVE_INFINITY;
  /** How long the last successful one took, ms. */
  private needed: number | undefined;

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** Called when an attempt begins. */
  begin(): void {
    this.startedAt = this.scheduler.now();
  }

  /** Called when the user has logged in. */
  connected(): void {
    this.needed = this.scheduler.now() - this.startedAt;
  }

  /** Called when the connection is ready. */
  succeeded(): void {
    this.failures = 0;
  }

  /** The pause before the next attempt, ms, counted from the beginning of the last one, which may have hung. */
  failed(): number {
    const pause = reconnectDelay(this.failures++) - (this.scheduler.now() - this.startedAt);
    return Math.max(FASTEST_MS, pause);
  }

  /** How long the next attempt may take, and each reply in it, ms. */
  get timeout(): number {
    if (this.needed !== undefined) return Math.min(SLOW_ATTEMPT_MS, Math.max(ATTEMPT_MS, 3 * this.needed));
    return this.failures % SLOW_EVERY === 0 ? SLOW_ATTEMPT_MS : ATTEMPT_MS;
  }
}
