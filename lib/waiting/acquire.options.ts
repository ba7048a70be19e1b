import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import { WaitLimit } from '../time/wait-limit.js';
import { parseOptions, parseSignal } from '../validation/options.js';
import { type Duration, parseWait } from '../time/duration.js';
import { LockOptionsError } from '../errors.js';
import { type NameLimits } from '../keys/lock-name.js';

const NO_SIGNALS: readonly AbortSignal[] = [];

/** What a caller asks for. */
export interface AcquireTerms {
  /** Milliseconds; `undefined` is the watchdog. */
  readonly lease: number | undefined;
  /** From when on, for how long, and until which signal the caller waits, whatever it is that it has to wait for. */
  readonly limit: WaitLimit;
}

/** What reading the options of a call takes. */
export interface AcquireServices {
  readonly scheduler: MonotonicScheduler;
  readonly defaults: AcquireDefaults;
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
export const acceptedTerms = (request: LockRequest, { defaults, scheduler }: AcquireServices): AcquireTerms => {
  checkLease(request.lease, defaults);
  return termsOf(request, scheduler);
};

/** How to wait for something. */
export interface WaitOptions {
  /** How long, in ms or such as `'30s'`; 0: one try; `Infinity`: without limit. */
  readonly wait?: Duration | undefined;
  /** Ends the wait early with `LockAbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * @param defaultWait Milliseconds where the caller gave no wait.
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
  return new WaitLimit(scheduler, wait, signal ? [signal] : []);
};
/** What a lock does where its caller said nothing. */
export interface AcquireDefaults {
  /** Put before every name, ours and Redisson's alike. */
  readonly keyPrefix: string;
  /** Milliseconds an acquirer waits; may be `Infinity`. */
  readonly wait: number;
  /** Milliseconds for which the watchdog keeps a hold at the most; may be `Infinity`. */
  readonly maxHold: number;
  /** The longest lease that is safe here, ms; may be `Infinity`. */
  readonly maxLease: number;
  readonly names: NameLimits;
  /** How many names one call may lock. */
  readonly maxNames: number;
}

/** @throws LockOptionsError where the restart guard would end before the lease does. */
export const checkLease = (lease: number | undefined, { maxLease }: AcquireDefaults): void => {
  if (lease === undefined || lease <= maxLease) return;
  const why = `the restart guard covers ${maxLease} ms; give the module a restartGuard as long as the longest lease`;
  throw new LockOptionsError(`lease must not be ${lease} ms: ${why}`, { details: { option: 'lease', value: lease } });
};
/** How to acquire a lock. */
export interface AcquireOptions {
  /**
   * After this time the hold ends by itself, in ms or such as `'30s'`. Absent: the watchdog keeps the hold until it is
   * released. 10 … 2^31 − 1 ms.
   */
  readonly lease?: Duration | undefined;
  /** How long to wait for the lock; 0: one try; `Infinity`: without limit. Default: that of the module or the method. */
  readonly wait?: Duration | undefined;
  /** Ends the wait early with `LockAbortedError`. After the lock was acquired it has no effect. */
  readonly signal?: AbortSignal | undefined;
}

/** Options that were read once and checked. */
export interface LockRequest {
  /** Milliseconds; `undefined` is the watchdog. */
  readonly lease: number | undefined;
  readonly wait: number;
  readonly signal: AbortSignal | undefined;
}
