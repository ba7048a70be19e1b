import { Deadline } from './deadline-timer.js';
import { listenForAbort, type AbortListener, unlistenForAbort } from './abort-listeners.js';
import type { MonotonicScheduler } from './monotonic-scheduler.js';

/** A signal has ended a wait. */
export interface Aborted {
  readonly cause: 'aborted';
  readonly reason: unknown;
}

/** Why a wait ended without what was waited for. */
export type WaitEnd = { readonly cause: 'elapsed' } | Aborted;

/** Somebody whose wait may end without what is waited for. */
export interface WaitListener {
  onEnd(end: WaitEnd): void;
}

/** A wait that is being watched; stops watching. */
export interface WaitWatch {
  stop(): void;
}

/**
 * How long somebody is willing to wait: a number of milliseconds from now (or without limit), and signals that end the
 * wait early. Has a deadline and listeners only between {@link watch} and the call that stops watching.
 */
export class WaitLimit {
  readonly startedAt: number;

  constructor(
    readonly scheduler: MonotonicScheduler,
    /** Milliseconds; 0 allows one try, `Infinity` waits until something else ends it. */
    readonly wait: number,
    private readonly ownSignals: readonly AbortSignal[],
    startedAt = scheduler.now(),
    private readonly shutdown?: AbortSignal,
  ) {
    this.startedAt = startedAt;
  }

  /** The same limit, which `signal` ends as well. */
  withSignal(signal: AbortSignal): WaitLimit {
    return new WaitLimit(this.scheduler, this.wait, [...this.ownSignals, signal], this.startedAt, this.shutdown);
  }

  /** The same limit, which the end of the application ends as well. */
  withShutdown(shutdown: AbortSignal): WaitLimit {
    return new WaitLimit(this.scheduler, this.wait, this.ownSignals, this.startedAt, shutdown);
  }

  /** The same limit, which ends `ms` from now at the latest. */
  withMax(ms: number): WaitLimit {
    const wait = Math.min(this.wait, this.waited + ms);
    return new WaitLimit(this.scheduler, wait, this.ownSignals, this.startedAt, this.shutdown);
  }

  /** The same limit, which no time ends. */
  get untimed(): WaitLimit {
    return new WaitLimit(this.scheduler, Number.POSITIVE_INFINITY, this.ownSignals, this.startedAt, this.shutdown);
  }

  /** Whether the caller may end it early, and then is to be told at once. */
  get isAbortable(): boolean {
    return this.ownSignals.length > 0;
  }

  /** Everything that may end it early. */
  *signals(): Generator<AbortSignal> {
    yield* this.ownSignals;
    if (this.shutdown) yield this.shutdown;
  }

  /** Milliseconds waited so far. */
  get waited(): number {
    return this.scheduler.now() - this.startedAt;
  }

  /** What has ended the wait by now, if anything has. */
  get ended(): WaitEnd | undefined {
    const { aborted } = this;
    if (aborted) return { cause: 'aborted', reason: aborted.reason };
    return this.waited >= this.wait ? { cause: 'elapsed' } : undefined;
  }

  /** The signal that has ended it, if one has. */
  get aborted(): AbortSignal | undefined {
    if (this.shutdown?.aborted) return this.shutdown;
    return this.isAbortable ? this.ownSignals.find((signal) => signal.aborted) : undefined;
  }

  /** Resolves with how the wait ended, or with `undefined` where `work` is done before; rejects where it fails before. */
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

  /** Tells `waiter` once, when the wait ends, unless the watching was stopped before. */
  watch(waiter: WaitListener): WaitWatch {
    return new WaitDeadline(this, waiter);
  }
}

/** There is one for everybody who waits, so it is one object, without functions of its own. */
class WaitDeadline extends Deadline implements WaitWatch, AbortListener {
  constructor(
    private readonly limit: WaitLimit,
    private readonly waiter: WaitListener,
  ) {
    super(limit.startedAt + limit.wait);
    for (const signal of limit.signals()) listenForAbort(signal, this);
    if (Number.isFinite(this.at)) limit.scheduler.deadlines.add(this);
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
