import { LockAbortedError, LockShutdownError } from '../errors.js';
import { invalidOption, namesOf, parseOptions } from '../validation/options.js';
import { runOutsideContexts } from '../context/owner-context.js';
import { runAndStart } from '../context/run-in-scope.js';
import { onAbort } from '../time/abort-listeners.js';
import { abortablePause } from '../time/abortable-pause.js';
import { type Hold, isStillHeld } from '../holds/hold.js';
import type { ReentrantLock } from '../locks/reentrant-lock.js';

/** Pause before standing for election again after a failure, ms: another candidate may do better. */
const PAUSE_MS = 1000;

/** Callbacks of a candidate. */
export interface LeaderElectionOptions {
  /**
   * Called each time this candidate becomes the leader, as the owner of the lock. `signal` aborts when leadership ends:
   * on `stop()`, on shutdown, or when the lock is lost, then before another candidate can be elected. It has not
   * aborted yet when `onElected` is called. The returned promise is awaited before the lock is released. If it rejects,
   * the leader steps down and stands again after a second.
   */
  onElected(signal: AbortSignal, hold: Hold): unknown;
  /** Called with the reason once leadership has ended and the promise of `onElected` has settled. */
  onDemoted?(reason: unknown): unknown;
}

const OPTIONS = namesOf<LeaderElectionOptions>()('onElected', 'onDemoted');

type CandidateState = 'idle' | 'candidate' | 'leader' | 'stepping-down';

/**
 * One candidate among the instances of an application, of which at most one is the leader: the holder of a lock that
 * the watchdog renews. A leader that loses the lock, because Redis was unreachable or the process was paused, is
 * notified before another candidate can be elected, provided that it runs at all; fencing tokens (`fenced`) protect
 * resources from a leader that does not.
 *
 * States: idle → candidate → leader → stepping down → candidate or idle.
 *
 * @example
 * const election = locks.getLeaderElection('reports', {
 *   onElected: (signal) => this.sendReportsUntil(signal),
 * });
 * election.start();
 */
export class LeaderElection implements AsyncDisposable {
  private now: CandidateState = 'idle';
  private readonly options: LeaderElectionOptions;
  private hold: Hold | undefined;
  private stopping: AbortController | undefined;
  private running: Promise<void> = Promise.resolve();

  /**
   * @internal Created by `LockService`.
   * @throws LockOptionsError
   */
  constructor(
    private readonly lock: ReentrantLock,
    options: LeaderElectionOptions,
  ) {
    const { onElected, onDemoted } = parseOptions(options, OPTIONS, { of: 'getLeaderElection' });
    if (typeof onElected !== 'function') throw invalidOption('onElected', onElected, 'a function');
    if (onDemoted !== undefined && typeof onDemoted !== 'function') {
      throw invalidOption('onDemoted', onDemoted, 'a function');
    }
    // Kept as one object, so that its methods keep their `this`.
    this.options = options;
  }

  /** The lock's name, as stored in Redis. */
  get name(): string {
    return this.lock.name;
  }

  get state(): CandidateState {
    return this.now;
  }

  /** Whether it is the leader, as far as it knows. Checks the clock: after a stall no timer has fired yet. */
  get isLeader(): boolean {
    return this.now === 'leader' && this.hold !== undefined && isStillHeld(this.hold);
  }

  /** Stands for election, and again each time its leadership ends. Further calls do nothing. */
  start(): void {
    if (this.stopping) return;
    const stopping = new AbortController();
    this.stopping = stopping;
    const { shutdown } = this.lock.runtime;
    const stopListening = onAbort(shutdown, () => stopping.abort(shutdown.reason));
    if (shutdown.aborted) stopping.abort(shutdown.reason);
    const before = this.running;
    this.running = runOutsideContexts(() => before.then(() => this.stand(stopping.signal)).finally(stopListening));
  }

  /**
   * Stops standing for election. Resolves when the lock is released and, if it was the leader, `onDemoted` has
   * returned. Therefore `onElected` and `onDemoted` must not await it.
   */
  async stop(): Promise<void> {
    this.stopping?.abort(new LockAbortedError(`The election "${this.name}" was stopped here`, { lockName: this.name }));
    this.stopping = undefined;
    await this.running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private async stand(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      try {
        this.now = 'candidate';
        const hold = await this.lock.acquire({ wait: Number.POSITIVE_INFINITY, signal: stop });
        if (!(await this.lead(hold, stop))) await this.pause(stop);
      } catch (error) {
        if (stop.aborted || error instanceof LockShutdownError) break;
        this.report(error);
        await this.pause(stop);
      }
    }
    this.now = 'idle';
  }

  /** Leads until the hold is lost or the candidate is stopped. Resolves with false if `onElected` failed. */
  private async lead(hold: Hold, stop: AbortSignal): Promise<boolean> {
    const leading = new AbortController();
    const end = ({ reason }: AbortSignal): void => {
      if (this.now === 'leader') this.now = 'stepping-down';
      // stop() may be called inside a context; listeners of the signal must not run as its owner.
      runOutsideContexts(() => leading.abort(reason));
    };
    const stops = [hold.signal, stop].map((signal) => {
      if (signal.aborted) end(signal);
      return onAbort(signal, () => end(signal));
    });
    let [wasElected, isFine] = [false, true];
    this.hold = hold;
    try {
      // Stopped or lost in the event-loop turn of the grant: `onElected` would wait for an abort in the past.
      if (leading.signal.aborted) return true;
      this.now = 'leader';
      wasElected = true;
      await hold.run(async () => runAndStart(() => this.options.onElected(leading.signal, hold)));
      if (!leading.signal.aborted) await new Promise<void>((resolve) => void onAbort(leading.signal, resolve));
    } catch (error) {
      isFine = isEndedBy(leading.signal, error);
      if (!isFine) this.report(error);
      this.now = 'stepping-down';
      leading.abort(error);
    } finally {
      this.hold = undefined;
      for (const stopListening of stops) stopListening();
      // The next leader may be elected before the reply to the release.
      const telling = wasElected ? this.tell(leading.signal.reason) : undefined;
      await hold[Symbol.asyncDispose]();
      await telling;
    }
    return isFine;
  }

  private async tell(reason: unknown): Promise<void> {
    try {
      await this.options.onDemoted?.(reason);
    } catch (error) {
      this.report(error);
    }
  }

  private pause(stop: AbortSignal): Promise<void> {
    return abortablePause(this.lock.runtime.scheduler, PAUSE_MS, stop);
  }

  private report(error: unknown): void {
    this.lock.runtime.events.emit({ type: 'election-failed', lockName: this.name, error });
  }
}

/** Whether work failed because its signal aborted: with the reason itself, or with an error that wraps it. */
const isEndedBy = ({ aborted, reason }: AbortSignal, error: unknown): boolean =>
  aborted &&
  (error === reason || (typeof error === 'object' && error !== null && 'cause' in error && error.cause === reason));
