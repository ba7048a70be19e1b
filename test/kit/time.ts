import { setTimeout as sleep } from 'node:timers/promises';
import { type Scheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { ServedTime } from './served-time.js';
import type { StallingClock } from './stalling-clock.js';

/** No lease of these tests is renewed more seldom, ms of {@link ServedTime}. */
const MOST_UNTIL_RENEWAL_MS = 5000;

/** Times to live are whole milliseconds. */
const ROUNDING_MS = 2;

/** Measures time for a comparison with a limit. */
interface Stopwatch {
  /** The time since the start, ms. */
  readonly elapsed: number;
  stop(): void;
}

/** Time as the backend under test counts it: real time beside a server, or a manual clock that the test moves. */
export class Time {
  private constructor(
    private readonly clock: Scheduler,
    private readonly tick: () => Promise<unknown>,
    private readonly stopwatch: () => Stopwatch,
    /** The time by which an event may be late, ms. */
    readonly slack: number,
    /** Occupies the process for `ms`, as synchronous work does: no timer runs and no reply arrives. */
    readonly block: (ms: number) => void,
  ) {}

  /** Real time with much slack, because a busy machine stalls processes. Tests on the manual clock are exact. */
  static real(): Time {
    return new Time(
      systemScheduler,
      () => sleep(1),
      () => new ServedTime(),
      400,
      (ms) => {
        for (const end = performance.now() + ms; performance.now() < end;);
      },
    );
  }

  static on(clock: StallingClock): Time {
    // Waiters sleep up to 5 ms longer than a lease.
    const stopwatch = (): Stopwatch => {
      const start = clock.now();
      return {
        get elapsed() {
          return clock.now() - start;
        },
        stop: () => {},
      };
    };
    return new Time(
      clock,
      () => clock.advance(1),
      stopwatch,
      10,
      (ms) => clock.stall(ms),
    );
  }

  now(): number {
    return this.clock.now();
  }

  /** Pauses for `ms`, in work that {@link finish} drives. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.schedule(ms, resolve, { keepAlive: true }));
  }

  /** Lets `ms` pass. Use it only in tests about time itself. Other tests wait for a condition. */
  async pass(ms: number): Promise<void> {
    await this.finish(this.pause(ms), Number.POSITIVE_INFINITY);
  }

  /** Lets `ms` pass as clients count them, {@link ServedTime} beside a server. */
  async passForClients(ms: number): Promise<void> {
    const stopwatch = this.stopwatch();
    while (stopwatch.elapsed < ms) await this.tick();
    stopwatch.stop();
  }

  /** Lets time pass until `work` has settled, and settles like it. Fails if that takes longer than `within`. */
  async finish<T>(work: Promise<T>, within: number): Promise<T> {
    const progress = track(work);
    await this.until(() => progress.settled, within);
    return work;
  }

  /**
   * Resolves when each of these leases was renewed once more: when more is left of it than the look before has left, less
   * the time since then. So it is noticed however seldom a busy machine looks.
   */
  async renewed(left: () => Promise<readonly number[]>): Promise<void> {
    let before = await left();
    let since = this.now();
    const open = new Set(before.keys());
    await this.until(async () => {
      const passed = this.now() - since;
      const now = await left();
      for (const lease of open) {
        if ((now[lease] ?? 0) > (before[lease] ?? 0) - passed + ROUNDING_MS) open.delete(lease);
      }
      before = now;
      since = this.now();
      return open.size === 0;
    }, MOST_UNTIL_RENEWAL_MS);
  }

  /** Resolves when a hold was renewed once more, in work that {@link finish} drives. Fails if it is lost instead. */
  async outlast(hold: { readonly remaining: number; readonly isHeld: boolean }): Promise<void> {
    let before = hold.remaining;
    while (hold.remaining <= before) {
      if (!hold.isHeld) throw new Error('The hold was lost before it was renewed');
      before = hold.remaining;
      await this.pause(5);
    }
  }

  /**
   * Lets time pass until the condition holds, and resolves with the elapsed time. Fails if the condition does not hold
   * after `within`, which real time counts as {@link ServedTime}.
   */
  async until(condition: () => boolean | Promise<boolean>, within: number): Promise<number> {
    const start = this.now();
    const stopwatch = this.stopwatch();
    try {
      for (;;) {
        const isLast = stopwatch.elapsed > within;
        if (await condition()) return this.now() - start;
        if (isLast) throw new Error(`Not so within ${within} ms: ${String(condition)}`);
        await this.tick();
      }
    } finally {
      stopwatch.stop();
    }
  }
}

/** Tells whether a promise has settled. A rejection is left to the code that awaits the promise itself. */
export const track = (work: Promise<unknown>): { readonly settled: boolean } => {
  const progress = { settled: false };
  const settle = (): void => {
    progress.settled = true;
  };
  work.then(settle, settle);
  return progress;
};
