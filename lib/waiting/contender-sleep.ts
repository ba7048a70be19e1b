import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import { LockUnavailableError } from '../errors.js';
import type { WaitLimit } from '../time/wait-limit.js';
import type { Busy } from './acquirer.js';

/** Ends a sleep early. A call that comes while nobody sleeps is remembered, so that no message falls into a gap. */
export class WakeSignal {
  private pending = false;
  private wake: (() => void) | undefined;

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** Ends the sleep, or keeps the next one from starting. */
  readonly notify = (): void => {
    this.pending = true;
    this.wake?.();
  };

  /** Forgets what was said so far: what follows finds out for itself. */
  forget(): void {
    this.pending = false;
  }

  /** Resolves after `ms`, or as soon as somebody notifies, or at once if somebody has. */
  async sleep(ms: number): Promise<void> {
    if (!this.pending) await this.untilNotified(ms);
    this.pending = false;
  }

  private untilNotified(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.scheduler.schedule(ms, () => this.notify(), { keepAlive: true });
      this.wake = () => {
        this.wake = undefined;
        timer.cancel();
        resolve();
      };
    });
  }
}

/** Slept on top of a lease that runs out, so that the waiters of several processes do not all ask in one instant. */
const EXPIRY_JITTER_MS = 5;
export const UNAVAILABLE_PAUSE_MS = 100;

/** How long before the end of a wait the last look is taken, ms: longer than an answer mostly takes. */
const LAST_LOOK_MS = 20;
/** Whose wait ends sooner, ms, has looked a moment ago. */
const SHORTEST_SLEEP_MS = 100;

/**
 * Milliseconds until somebody who sleeps is to look once more before its wait ends, so that one lost message does not end
 * it beside something free; `Infinity`: it need not.
 */
export const untilLastLook = ({ wait, waited }: Pick<WaitLimit, 'wait' | 'waited'>): number => {
  const left = wait - waited;
  return left > SHORTEST_SLEEP_MS ? left - LAST_LOOK_MS : Number.POSITIVE_INFINITY;
};

/** Milliseconds until what was found may have changed, or the server may answer. */
export const pauseAfter = (seen: Busy | LockUnavailableError): number => {
  if (seen instanceof LockUnavailableError) return UNAVAILABLE_PAUSE_MS * (0.5 + Math.random());
  return seen.remaining < 0 ? Number.POSITIVE_INFINITY : seen.remaining + 1 + Math.random() * EXPIRY_JITTER_MS;
};
