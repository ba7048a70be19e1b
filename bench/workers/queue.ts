import type { Held, OpenLibrary } from '../adapters/adapter.js';
import { now } from './clock.js';

const ENDLESS_MS = 3_600_000;

/** Many waiters for one lock. A waiter keeps the lock, unless it is to pass it on. */
export class Queue {
  private granted = 0;
  private failed = 0;
  private toPass = 0;
  private lastRelease: number | undefined;
  private delays: number[] = [];
  private done: (delays: readonly number[]) => void = () => {};

  constructor(private readonly library: OpenLibrary) {}

  /** Adds waiters, and counts those that succeed and fail. */
  add(key: string, count: number): void {
    for (let waiter = 0; waiter < count; waiter++) {
      this.library.acquire(key, { wait: ENDLESS_MS }).then(
        (held) => this.got(held),
        () => {
          this.failed++;
        },
      );
    }
  }

  get state(): { readonly granted: number; readonly failed: number } {
    return { granted: this.granted, failed: this.failed };
  }

  /**
   * Makes the next `count` waiters release the lock as soon as they get it.
   * @returns Times from the beginning of each release to the next grant, nanoseconds.
   */
  passOn(count: number): Promise<readonly number[]> {
    this.toPass = count;
    this.lastRelease = undefined;
    this.delays = [];
    return new Promise((resolve) => {
      this.done = resolve;
    });
  }

  private got(held: Held): void {
    const granted = now();
    this.granted++;
    if (this.lastRelease !== undefined) this.delays.push(granted - this.lastRelease);
    if (this.toPass === 0) {
      this.done(this.delays);
      return;
    }
    this.toPass--;
    this.lastRelease = now();
    held.release().catch(() => {
      this.failed++;
    });
  }
}
