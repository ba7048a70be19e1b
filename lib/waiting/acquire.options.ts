import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import { WaitLimit } from '../time/wait-limit.js';
import { parseOptions, parseSignal } from '../validation/options.js';
import { type Duration, parseWait } from '../time/duration.js';
import { LockOptionsError } from '../errors.js';
import { type NameLimits } from '../keys/lock-name.js';

/** Lease and wait of one acquisition. */
export interface AcquireOptions {
  /**
   * Time after which the hold expires by itself, in ms or such as `'30s'`, 10 … 2^31 − 1 ms. Absent: the watchdog
   * renews the hold until it is released.
   */
  readonly lease?: Duration | undefined;
  /** Wait limit; 0: one attempt; `Infinity`: no limit. Default: that of the method or the module. */
  readonly wait?: Duration | undefined;
  /** Aborts the wait with `LockAbortedError`. Has no effect once the lock is acquired. */
  readonly signal?: AbortSignal | undefined;
}

/** How long to wait. */
export interface WaitOptions {
  /**
   * Wait limit, in ms or such as `'30s'`; 0: one attempt; `Infinity`: no limit. Default: that of the called method
   * (`acquire`: the module's; `tryAcquire`: 0; `await`: no limit).
   */
  readonly wait?: Duration | undefined;
  /** Ends the wait early with `LockAbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Module settings for calls that do not override them. */
export interface AcquireDefaults {
  /** Prefix of every name, both for this library's own keys and for those of Redisson. */
  readonly keyPrefix: string;
  /** Default wait limit, ms; may be `Infinity`. */
  readonly wait: number;
  /** Longest time for which the watchdog renews a hold, ms; may be `Infinity`. */
  readonly maxHold: number;
  /** Longest lease that the restart guard covers, ms; may be `Infinity`. */
  readonly maxLease: number;
  readonly names: NameLimits;
  /** Maximum number of names in one call. */
  readonly maxNames: number;
}

/** The options of one acquisition, parsed and validated. */
export interface LockRequest {
  /** Milliseconds; `undefined`: the watchdog renews the hold. */
  readonly lease: number | undefined;
  readonly wait: number;
  readonly signal: AbortSignal | undefined;
}

/** Validated lease and wait limit of one call. */
export interface AcquireTerms {
  /** Milliseconds; `undefined`: the watchdog renews the hold. */
  readonly lease: number | undefined;
  /** Start, length and abort signal of the wait, for everything this call has to wait for. */
  readonly limit: WaitLimit;
}

/** Services needed to parse the options of a call. */
export interface AcquireServices {
  readonly scheduler: MonotonicScheduler;
  readonly defaults: AcquireDefaults;
}

const NO_SIGNALS: readonly AbortSignal[] = [];

/** @throws LockOptionsError if the lease is longer than the restart guard. */
export const checkLease = (lease: number | undefined, { maxLease }: AcquireDefaults): void => {
  if (lease === undefined || lease <= maxLease) return;
  const why = `the restart guard covers ${maxLease} ms; give the module a restartGuard as long as the longest lease`;
  throw new LockOptionsError(`lease must not be ${lease} ms: ${why}`, { details: { option: 'lease', value: lease } });
};

/** The terms of a request whose wait starts now. */
export const termsOf = ({ lease, wait, signal }: LockRequest, scheduler: MonotonicScheduler): AcquireTerms => ({
  lease,
  limit: new WaitLimit(scheduler, wait, signal ? [signal] : NO_SIGNALS),
});

/**
 * Like {@link termsOf}, after {@link checkLease}.
 * @throws LockOptionsError if the lease is longer than the restart guard.
 */
export const acceptedTerms = (request: LockRequest, { defaults, scheduler }: AcquireServices): AcquireTerms => {
  checkLease(request.lease, defaults);
  return termsOf(request, scheduler);
};

/**
 * The wait limit of a call that takes no lease.
 * @param defaultWait Milliseconds, used if the caller gives no `wait`.
 * @throws LockOptionsError naming option and value.
 */
export const parseWaitOptions = (
  options: WaitOptions | undefined,
  defaultWait: number,
  scheduler: MonotonicScheduler,
): WaitLimit => {
  const given = parseOptions(options, ['wait', 'signal'], { of: 'acquire, tryAcquire and await' });
  const wait = given.wait === undefined ? defaultWait : parseWait(given.wait, 'wait');
  const signal = parseSignal(given.signal);
  return new WaitLimit(scheduler, wait, signal ? [signal] : NO_SIGNALS);
};
