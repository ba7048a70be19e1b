import { Deadline, type MonotonicScheduler } from './scheduler.js';
import { listenForAbort, type AbortListener, unlistenForAbort } from './abort-listeners.js';

/** The end of a wait by a signal. */
export interface Aborted {
  readonly cause: 'aborted';
  readonly reason: unknown;
}

/** Why a wait ended without success. */
export type WaitEnd = { readonly cause: 'elapsed' } | Aborted;

/** Receives the end of a wait. */
interface WaitListener {
  onEnd(end: WaitEnd): void;
}

/** A watched wait limit. */
export interface WaitWatch {
  stop(): void;
}

/** A wait that is under way, and can be ended early. */
export interface GuardedWait {
  /** Ends the wait with the reason of an aborted signal. */
  onAborted(signal: AbortSignal): void;
}

/** Learns of the waits of one acquisition, and may end them. Costs nothing until the caller has to wait. */
export interface WaitGuard {
  /** Aborted, once the guard has ended the wait; it stays ended. */
  readonly ended: AbortSignal | undefined;
  onWaiting(wait: GuardedWait): void;
  /** Called once or more often. */
  onOver(wait: GuardedWait): void;
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
    readonly guard?: WaitGuard,
  ) {
    this.startedAt = startedAt;
  }

  /** The same limit, also ended by `signal`. */
  withSignal(signal: AbortSignal): WaitLimit {
    return this.changed({ signals: [...this.ownSignals, signal] });
  }

  /** The same limit, also ended by the shutdown of the application. */
  withShutdown(shutdown: AbortSignal): WaitLimit {
    // On the hot path, hence without an object of what differs.
    return new WaitLimit(this.scheduler, this.wait, this.ownSignals, this.startedAt, shutdown, this.guard);
  }

  /** The same limit, whose waits are guarded. */
  withGuard(guard: WaitGuard): WaitLimit {
    return this.changed({ guard });
  }

  /** The same limit, ended `ms` from now at the latest. */
  withMax(ms: number): WaitLimit {
    return this.changed({ wait: Math.min(this.wait, this.waited + ms) });
  }

  /** The same limit without a time limit. */
  get untimed(): WaitLimit {
    return this.changed({ wait: Number.POSITIVE_INFINITY });
  }

  /** Whether the caller may end the wait early, and must then be notified at once. */
  get isAbortable(): boolean {
    return this.ownSignals.length > 0;
  }

  /** All signals that may end the wait early. */
  get signals(): readonly AbortSignal[] {
    return this.shutdown ? [...this.ownSignals, this.shutdown] : this.ownSignals;
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
    if (this.guard?.ended) return this.guard.ended;
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

  /** Resolves after `ms`, or as soon as the wait has ended. */
  pause(ms: number): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        watching.stop();
        resolve();
      };
      const timer = this.scheduler.schedule(ms, end, { keepAlive: true });
      const watching = this.watch({ onEnd: end });
    });
  }

  /** Notifies `waiter` once, when the wait ends, unless stopped before. */
  watch(waiter: WaitListener): WaitWatch {
    return new WaitDeadline(this, waiter);
  }

  private changed({ wait = this.wait, signals = this.ownSignals, guard = this.guard }: Changes): WaitLimit {
    return new WaitLimit(this.scheduler, wait, signals, this.startedAt, this.shutdown, guard);
  }
}

/** Differences of a copy of a limit. */
interface Changes {
  readonly wait?: number;
  readonly signals?: readonly AbortSignal[];
  readonly guard?: WaitGuard;
}

/** There may be thousands, one per waiter, so each is a single object without closures of its own. */
class WaitDeadline extends Deadline implements WaitWatch, AbortListener, GuardedWait {
  constructor(
    private readonly limit: WaitLimit,
    private readonly waiter: WaitListener,
  ) {
    super();
    for (const signal of limit.signals) listenForAbort(signal, this);
    if (Number.isFinite(this.at)) limit.scheduler.deadlines.add(this);
    limit.guard?.onWaiting(this);
  }

  /** Not kept: every waiter would keep another number. */
  get at(): number {
    return this.limit.startedAt + this.limit.wait;
  }

  stop(): void {
    for (const signal of this.limit.signals) unlistenForAbort(signal, this);
    this.limit.scheduler.deadlines.delete(this);
    this.limit.guard?.onOver(this);
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
