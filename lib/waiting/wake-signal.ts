import { LockUnavailableError } from '../errors.js';
import type { Busy } from './attempt-strategy.js';
import type { MonotonicScheduler, ScheduledTask } from '../time/scheduler.js';
import type { WaitLimit } from '../time/wait-limit.js';

/** Maximum jitter after the end of a lease, ms, so that the waiters of several processes do not all ask at once. */
const EXPIRY_JITTER_MS = 5;
/** Pause before the server is asked again if it could not answer, ms: twice as long each time, up to the longest. */
const UNAVAILABLE_PAUSE_MS = 100;
const LONGEST_UNAVAILABLE_PAUSE_MS = 600;

/**
 * Milliseconds until a server that could not answer `unanswered` attempts in a row is asked again. A slow connection on
 * which all waiters went on asking at the same pace would never answer any of them in time.
 */
export const pauseUnanswered = (unanswered: number): number =>
  Math.min(UNAVAILABLE_PAUSE_MS * 2 ** Math.max(0, unanswered - 1), LONGEST_UNAVAILABLE_PAUSE_MS) *
  (0.5 + Math.random());

/** Milliseconds until the outcome may have changed, or an unavailable server may answer. */
export const pauseAfter = (outcome: Busy | LockUnavailableError, unanswered: number): number => {
  if (outcome instanceof LockUnavailableError) return pauseUnanswered(unanswered);
  return outcome.remaining < 0 ? Number.POSITIVE_INFINITY : outcome.remaining + 1 + Math.random() * EXPIRY_JITTER_MS;
};

/** How long before the end of a wait the last look is made, ms: longer than a reply usually takes. */
const LAST_LOOK_BEFORE_END_MS = 20;
/** Waits that end within this time, ms, get no last look: their last attempt is recent. */
const MIN_WAIT_FOR_LOOK_MS = 100;

/**
 * Milliseconds until a sleeping waiter makes its last look before its wait ends, so that one lost message does not let
 * it time out while the lock is free; `Infinity`: no last look.
 */
export const untilLastLook = ({ wait, waited }: Pick<WaitLimit, 'wait' | 'waited'>): number => {
  const left = wait - waited;
  return left > MIN_WAIT_FOR_LOOK_MS ? left - LAST_LOOK_BEFORE_END_MS : Number.POSITIVE_INFINITY;
};

/**
 * A sleep that can be ended early. A call while nothing sleeps is remembered, so no message is lost in between. There may
 * be thousands: hence few closures and async functions.
 */
export class WakeSignal {
  private pending = false;
  private timer: ScheduledTask | undefined = undefined;
  private wake: ((isLookDue: boolean) => void) | undefined = undefined;
  /** When the last look of the present sleep is due. */
  private lookAt = Number.POSITIVE_INFINITY;

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** Whether a call is remembered, or has just ended the sleep. */
  get isPending(): boolean {
    return this.pending;
  }

  /** Ends the current sleep, or makes the next one return at once. */
  notify(): void {
    const { wake } = this;
    this.pending = true;
    this.timer?.cancel();
    this.timer = undefined;
    this.wake = undefined;
    wake?.(this.scheduler.now() >= this.lookAt);
  }

  /** Drops a remembered call, for a caller about to ask the server anyway. */
  forget(): void {
    this.pending = false;
  }

  /** Resolves after `ms`, on the next call of {@link notify}, or at once if one is remembered. */
  async sleep(ms: number): Promise<void> {
    if (!this.pending) await this.untilNotified(ms);
    this.pending = false;
  }

  /**
   * Sleeps for `ms`, or until the last look before this wait ends. Resolves with whether that look is due. The call of
   * {@link notify} that ended the sleep is remembered until the sleeper, once awake, calls {@link forget}.
   */
  sleepOrLook(ms: number, limit: WaitLimit | undefined): Promise<boolean> {
    const look = limit ? untilLastLook(limit) : Number.POSITIVE_INFINITY;
    // A timer may fire a little early.
    this.lookAt = this.scheduler.now() + look - 1;
    return this.pending ? Promise.resolve(false) : this.untilNotified(Math.min(ms, look));
  }

  private untilNotified(ms: number): Promise<boolean> {
    this.timer = this.scheduler.schedule(ms, () => this.notify(), { keepAlive: true });
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
