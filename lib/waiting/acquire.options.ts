import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import { WaitLimit } from '../time/wait-limit.js';
import type { LockRequest } from '../locks/lock.options.js';
import { checkLease, type LockRuntime } from '../runtime/lock-runtime.js';

const NO_SIGNALS: readonly AbortSignal[] = [];

/** What a caller asks for. */
export interface AcquireTerms {
  /** Milliseconds; `undefined` is the watchdog. */
  readonly lease: number | undefined;
  /** From when on, for how long, and until which signal the caller waits, whatever it is that it has to wait for. */
  readonly limit: WaitLimit;
}

/** What was asked for, as of now. */
export const termsOf = ({ lease, wait, signal }: LockRequest, scheduler: MonotonicScheduler): AcquireTerms => ({
  lease,
  limit: new WaitLimit(scheduler, wait, signal ? [signal] : NO_SIGNALS),
});

/**
 * {@link termsOf} what may be asked for here.
 * @throws LockOptionsError where the restart guard would end before the lease does.
 */
export const acceptedTerms = (request: LockRequest, { defaults, scheduler }: LockRuntime): AcquireTerms => {
  checkLease(request.lease, defaults);
  return termsOf(request, scheduler);
};
