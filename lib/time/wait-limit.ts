import { Deadline } from './deadline-timer.js';
import { listenForAbort, type AbortListener, unlistenForAbort } from './abort-listeners.js';
import type { MonotonicScheduler } from './monotonic-scheduler.js';

/** The end of a wait by a signal. */
export interface Aborted {
  readonly cause: 'aborted';
  readonly reason: unknown;
}

/** Why a wait ended without success. */
export type WaitEnd = { readonly cause: 'elapsed' } | Aborted;

/** Receives the end of a wait. */
export interface WaitListener {
  onEnd(end: WaitEnd): void;
}

/** A watched wait limit. */
export interface WaitWatch {
  stop(): void;
}

/**
 * How long a caller is willing to wait: a number of milliseconds from now (or without limit), and signals that end the
 * wait early. Has a deadline and listeners only between {@link watch} and {@link WaitWatch.stop}.
 */
export class WaitLimit {
  readonly startedAt: number;

  constructor(
    readonly scheduler: MonotonicScheduler,
    /** Milliseconds; 0 allows one attempt, `Infinity` waits until a signal ends it. */
    readonly wait: number,
    private readonly ownSignals: readonly AbortSignal[],
    startedAt = scheduler.now(),
    private readonly shutdown?: AbortSignal,
  ) {
    this.startedAt = startedAt;
  }

  /** The same limit, also ended by `signal`. */
  withSignal(signal: AbortSignal): WaitLimit {
    return new WaitLimit(this.scheduler, this.wait, [...this.ownSignals, signal], this.startedAt, this.shutdown);
  }

  /** The same limit, also ended by the shutdown of the application. */
  withShutdown(shutdown: AbortSignal): WaitLimit {
    return new WaitLimit(this.scheduler, this.wait, this.ownSignals, this.startedAt, shutdown);
  }

  /** The same limit, ended `ms` from now at the latest. */
  withMax(ms: number): WaitLimit {
    const wait = Math.min(this.wait, this.waited + ms);
    return new WaitLimit(this.scheduler, wait, this.ownSignals, this.startedAt, this.shutdown);
  }

  /** The same limit without a time limit. */
  get untimed(): WaitLimit {
    return new WaitLimit(this.scheduler, Number.POSITIVE_INFINITY, this.ownSignals, this.startedAt, this.shutdown);
  }

  /** Whether the caller may end the wait early, and must then be notified at once. */
  get isAbortable(): boolean {
    return this.ownSignals.length > 0;
  }

  /** All signals that may end the wait early. */
  *signals(): Generator<AbortSignal> {
    yield* this.ownSignals;
    if (this.shutdown) yield this.shutdown;
  }

  /** Milliseconds since the wait began. */
  get waited(): number {
    return this.scheduler.now() - this.startedAt;
  }

  /** The end of the wait, if it has ended. */
  get ended(): WaitEnd | undefined {
    const { aborted } = this;
    if (aborted) return { cause: 'aborted', reason: aborted.reason };
    return this.waited >= this.wait ? { cause: 'elapsed' } : undefined;
  }

  /** The signal that ended the wait, if any. */
  get aborted(): AbortSignal | undefined {
    if (this.shutdown?.aborted) return this.shutdown;
    return this.isAbortable ? this.ownSignals.find((signal) => signal.aborted) : undefined;
  }

  /**
   * Resolves with the end of the wait, or with `undefined` if `work` completes first; rejects if `work` fails first.
   */
  endBefore(work: Promise<unknown>): Promise<WaitEnd | undefined> {
    return new Promise((resolve, reject) => {
      const { ended } = this;
      const watching = ended ? undefined : this.watch({ onEnd: resolve });
      const stop = (): void => watching?.stop();
      work.then(stop, stop);
      if (ended) resolve(ended);
      else work.then(() => resolve(undefined), reject);
    });
  }

  /** Notifies `waiter` once, when the wait ends, unless stopped before. */
  watch(waiter: WaitListener): WaitWatch {
    return new WaitDeadline(this, waiter);
  }
}

/** There may be thousands, one per waiter, so each is a single object without closures of its own. */
class WaitDeadline extends Deadline implements WaitWatch, AbortListener {
  constructor(
    private readonly limit: WaitLimit,
    private readonly waiter: WaitListener,
  ) {
    super();
    for (const signal of limit.signals()) listenForAbort(signal, this);
    if (Number.isFinite(this.at)) limit.scheduler.deadlines.add(this);
  }

  /** Not kept: every waiter would keep another number. */
  get at(): number {
    return this.limit.startedAt + this.limit.wait;
  }

  stop(): void {
    for (const signal of this.limit.signals()) unlistenForAbort(signal, this);
    this.limit.scheduler.deadlines.delete(this);
  }

  onAborted({ reason }: AbortSignal): void {
    this.stop();
    this.waiter.onEnd({ cause: 'aborted', reason });
  }

  onPassed(): void {
    this.stop();
    this.waiter.onEnd({ cause: 'elapsed' });
  }
}
