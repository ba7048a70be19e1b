import type { Held, OpenLibrary } from '../adapters/adapter.js';
import { now } from './clock.js';

const ENDLESS_MS = 3_600_000;

/** Many that wait for one lock at the same time. Who gets it keeps it, unless it is to be passed on. */
export class Queue {
  private granted = 0;
  private failed = 0;
  private toPass = 0;
  private lastRelease: number | undefined;
  private delays: number[] = [];
  private done: (delays: readonly number[]) => void = () => {};

  constructor(private readonly library: OpenLibrary) {}

  /** Begins to wait; what comes of it is counted. */
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
   * The next ones release at once what they get, until `count` have.
   * @returns From the beginning of each release to the next grant, nanoseconds.
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
