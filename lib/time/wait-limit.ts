import { onAbort } from './on-abort.js';
import type { SteadyScheduler } from './steady-scheduler.js';

/** Why a wait ended without what was waited for. */
export type WaitEnd = { readonly cause: 'elapsed' } | { readonly cause: 'aborted'; readonly reason: unknown };

/**
 * How long somebody is willing to wait: a number of milliseconds from now (or without limit), and signals that end the
 * wait early. Holds a timer and listeners only between {@link watch} and the call that stops watching.
 */
export class WaitLimit {
  readonly startedAt: number;

  constructor(
    private readonly scheduler: SteadyScheduler,
    /** Milliseconds; 0 allows one try, `Infinity` waits until something else ends it. */
    readonly wait: number,
    private readonly signals: readonly AbortSignal[],
    startedAt = scheduler.now(),
    private readonly shutdown?: AbortSignal,
  ) {
    this.startedAt = startedAt;
  }

  /** The same limit, which `signal` ends as well. */
  endedAlsoBy(signal: AbortSignal): WaitLimit {
    return new WaitLimit(this.scheduler, this.wait, [...this.signals, signal], this.startedAt, this.shutdown);
  }

  /** The same limit, which the end of the application ends as well. */
  endedByShutdown(shutdown: AbortSignal): WaitLimit {
    return new WaitLimit(this.scheduler, this.wait, this.signals, this.startedAt, shutdown);
  }

  /** Whether the caller may end it early, and then is to be told at once. */
  get isAbortable(): boolean {
    return this.signals.length > 0;
  }

  /** The same limit, which ends `ms` from now at the latest. */
  endingWithin(ms: number): WaitLimit {
    const wait = Math.min(this.wait, this.waited + ms);
    return new WaitLimit(this.scheduler, wait, this.signals, this.startedAt, this.shutdown);
  }

  /** Milliseconds waited so far. */
  get waited(): number {
    return this.scheduler.now() - this.startedAt;
  }

  /** What has ended the wait by now, if anything has. */
  get ended(): WaitEnd | undefined {
    const aborted = this.shutdown?.aborted ? this.shutdown : this.signals.find((signal) => signal.aborted);
    if (aborted) return { cause: 'aborted', reason: aborted.reason };
    return this.waited >= this.wait ? { cause: 'elapsed' } : undefined;
  }

  /** Calls `onEnd` once, when the wait ends. The caller stops watching by calling what is returned. */
  watch(onEnd: (end: WaitEnd) => void): () => void {
    const abandon: (() => void)[] = [];
    const stop = (): void => {
      for (const undo of abandon.splice(0)) undo();
    };
    const finish = (end: WaitEnd): void => {
      stop();
      onEnd(end);
    };
    const signals = this.shutdown ? [...this.signals, this.shutdown] : this.signals;
    for (const signal of signals) {
      abandon.push(onAbort(signal, () => finish({ cause: 'aborted', reason: signal.reason })));
    }
    if (Number.isFinite(this.wait)) this.arm(finish, abandon);
    return stop;
  }

  /**
   * A timer may fire early (an injected clock, rounding): then it is set again for the rest, or for a millisecond, since
   * less may be too little to move the clock at all.
   */
  private arm(finish: (end: WaitEnd) => void, abandon: (() => void)[], atLeast = 0): void {
    const timer = this.scheduler.schedule(
      Math.max(this.wait - this.waited, atLeast),
      () => {
        if (this.waited >= this.wait) finish({ cause: 'elapsed' });
        else this.arm(finish, abandon, 1);
      },
      { keepAlive: true },
    );
    abandon.push(() => timer.cancel());
  }
}
