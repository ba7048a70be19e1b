import type { MonotonicScheduler } from '../time/scheduler.js';
import { WaitLimit } from '../time/wait-limit.js';
import { contradiction, invalidOption, namesOf, parseFlag, parseOptions, parseSignal } from '../validation/options.js';
import { type Duration, MAX_DURATION, parseDuration, parseLease, parseWait } from '../time/duration.js';
import { LockOptionsError } from '../errors.js';
import { type NameLimits } from '../keys/lock-name.js';

interface LeaseChoice {
  /**
   * Time after which the hold expires by itself, in ms or such as `'30s'`, 10 … 2^31 − 1 ms; outside of production and
   * tests a number below 1,000 is warned of, once. Absent: the watchdog renews the hold until it is released.
   */
  readonly lease?: Duration | undefined;
  /**
   * `true`: the watchdog renews the hold until it is released, and each renewal grants `lease`, at least 50 ms, instead
   * of the module's `renewedLease`. A shorter one is free sooner after a crash, a longer one survives a longer pause.
   * Default: whether there is no `lease`.
   */
  readonly renew?: boolean | undefined;
  /**
   * Longest time for which the watchdog renews this hold, counted from its acquisition, or from the `hold.extend()` that
   * has this option, in ms or such as `'10m'`; not less than what each renewal grants; `Infinity`: no limit. Not for a hold
   * with a `lease` that is not renewed. A re-entry that gives none has the limit of the outer acquisition. Default: that of
   * the module.
   */
  readonly maxHold?: Duration | undefined;
}

/** How long a hold lasts: until the end of a lease, or as long as the watchdog renews it. */
export type LeaseOptions =
  | (LeaseChoice & { readonly renew?: undefined; readonly maxHold?: undefined })
  | (LeaseChoice & { readonly lease: Duration; readonly renew: false; readonly maxHold?: undefined })
  | (LeaseChoice & { readonly lease?: undefined; readonly renew?: true | undefined })
  | (LeaseChoice & { readonly renew: true });

/** Options that {@link parseLeaseTerms} refuses together, and why. */
export type LeaseContradictions = [
  [
    { lease: Duration; maxHold: Duration; renew: false | undefined },
    'a hold with a lease is renewed, up to maxHold, only with renew: true',
  ],
  [{ renew: false; lease: undefined }, 'a hold that is not renewed needs a lease'],
];

/** Lease, wait and note of one acquisition. */
export type AcquireOptions = LeaseOptions & {
  /** Wait limit; 0: one attempt; `Infinity`: no limit. Default: that of the method or the module. */
  readonly wait?: Duration | undefined;
  /** Aborts the wait with `LockAbortedError`. Has no effect once the lock is acquired. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Why the lock is held, for others: kept in the record of its holder, which `inspect()`, the error of a caller that is
   * refused and the dashboard show. Text of 1 to 128 characters. Needs the module's option `holderRecords`; locks of an
   * `owner` and of `getRedLock(name)` have no records, and so no notes. A re-entry leaves the record as it is, with the
   * note of the outer acquisition. Default: none.
   */
  readonly note?: string | undefined;
};

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
  /** Whether results do not wait until the server has confirmed a release. */
  readonly releasesInBackground: boolean;
  /** Milliseconds that each renewal of the watchdog grants. */
  readonly renewedLease: number;
  /** Longest time for which the watchdog renews a hold, ms; may be `Infinity`. */
  readonly maxHold: number;
  /** Longest lease that the restart guard covers, ms; may be `Infinity`. */
  readonly maxLease: number;
  readonly names: NameLimits;
  /** Maximum number of names in one call. */
  readonly maxNames: number;
}

/** How the watchdog renews a hold, if not as the module says. */
export interface RenewalTerms {
  /** Milliseconds that each renewal grants; `undefined`: the watchdog's timeout. */
  readonly lease: number | undefined;
  /** Longest time for which the hold is renewed, ms; may be `Infinity`; `undefined`: that of the grant. */
  readonly maxHold: number | undefined;
}

/** A lease in ms, at whose end the hold ends; otherwise how it is renewed; `undefined`: as the module says. */
export type LeaseTerms = number | RenewalTerms | undefined;

/** The options of one acquisition, parsed and validated. */
export interface LockRequest {
  readonly lease: LeaseTerms;
  readonly wait: number;
  readonly signal: AbortSignal | undefined;
  /** Absent: there is none. */
  readonly note?: string | undefined;
}

/** Validated lease, wait limit and note of one call. */
export interface AcquireTerms {
  readonly lease: LeaseTerms;
  /** Start, length and abort signal of the wait, for everything this call has to wait for. */
  readonly limit: WaitLimit;
  readonly note: string | undefined;
}

/** Services needed to parse the options of a call. */
export interface AcquireServices {
  readonly scheduler: MonotonicScheduler;
  readonly defaults: AcquireDefaults;
}

/** The option names of {@link LeaseOptions}. */
export const LEASE_OPTIONS = namesOf<LeaseOptions>()('lease', 'renew', 'maxHold');

/** The option names of {@link WaitOptions}. */
export const WAIT_OPTIONS = namesOf<WaitOptions>()('wait', 'signal');

/** The longest note, in characters: a record is read whole with each inspection. */
const LONGEST_NOTE = 128;

/** A renewal takes a round trip. */
const RENEWED_LEASE = { min: 50, max: MAX_DURATION };

const NO_SIGNALS: readonly AbortSignal[] = [];

let isShortLeaseTold = false;

/** A lease of 30 mostly means 30 s. Says so once, to developers. */
const warnOfShortLease = (lease: unknown): void => {
  if (typeof lease !== 'number' || lease >= 1000 || isShortLeaseTold) return;
  const environment = process.env['NODE_ENV'];
  if (environment === 'production' || environment === 'test') return;
  isShortLeaseTold = true;
  process.emitWarning(
    `lease: ${lease} is ${lease} milliseconds; write '${lease}s' if you mean seconds, or '${lease}ms', which is not warned of`,
    { code: 'NEST_REDIS_LOCK_SHORT_LEASE' },
  );
};

/**
 * @param given The caller's options, unchecked.
 * @throws LockOptionsError that names option and value, or two options that contradict each other.
 */
export const parseLeaseTerms = ({ lease, renew, maxHold }: Partial<Record<keyof LeaseChoice, unknown>>): LeaseTerms => {
  warnOfShortLease(lease);
  const isRenewed = parseFlag(renew, 'renew');
  if (lease !== undefined && !isRenewed) {
    if (maxHold === undefined) return parseLease(lease, 'lease');
    throw contradiction('maxHold', 'lease', 'a hold with a lease is renewed only with renew: true');
  }
  if (renew === false) throw contradiction('renew: false', 'a missing lease', 'the hold would have no end');
  if (lease === undefined && maxHold === undefined) return undefined;
  const granted = lease === undefined ? undefined : parseDuration(lease, 'lease', RENEWED_LEASE);
  const atLeast = { min: granted ?? RENEWED_LEASE.min, max: MAX_DURATION, infinity: true };
  return { lease: granted, maxHold: maxHold === undefined ? undefined : parseDuration(maxHold, 'maxHold', atLeast) };
};

/** How a hold is renewed whose lease, if it has one, begins later. */
export const renewalOf = (lease: LeaseTerms): RenewalTerms | undefined =>
  typeof lease === 'number' ? undefined : lease;

/** Milliseconds that an acquisition asks for. @param timeout What the watchdog's renewals grant by default, ms. */
export const firstLease = (lease: LeaseTerms, timeout: number): number =>
  (typeof lease === 'object' ? lease.lease : lease) ?? timeout;

/** @throws LockOptionsError if the lease is longer than the restart guard. */
export const checkLease = (lease: number | undefined, { maxLease }: AcquireDefaults): void => {
  if (lease === undefined || lease <= maxLease) return;
  const why = `the restart guard covers ${maxLease} ms; give the module a restartGuard as long as the longest lease`;
  throw new LockOptionsError(`lease must not be ${lease} ms: ${why}`, { details: { option: 'lease', value: lease } });
};

/** @throws LockOptionsError if a hold would reach its limit before its first renewal. */
const checkMaxHold = (lease: LeaseTerms, { renewedLease }: AcquireDefaults): void => {
  if (typeof lease !== 'object' || lease.maxHold === undefined) return;
  const granted = firstLease(lease, renewedLease);
  if (lease.maxHold >= granted) return;
  const why = `each renewal of the watchdog grants ${granted} ms; give a lease instead, or with renew: true a shorter one`;
  throw new LockOptionsError(`maxHold must not be ${lease.maxHold} ms: ${why}`, {
    details: { option: 'maxHold', value: lease.maxHold },
  });
};

/** @throws LockOptionsError that names the value. */
export const parseNote = (note: unknown): string | undefined => {
  if (note === undefined || (typeof note === 'string' && note !== '' && note.length <= LONGEST_NOTE)) return note;
  throw invalidOption('note', note, `text of 1 to ${LONGEST_NOTE} characters`);
};

/** @throws LockOptionsError if the settings of the connection do not allow it. */
const checkLeaseTerms = (lease: LeaseTerms, defaults: AcquireDefaults): void => {
  checkLease(typeof lease === 'object' ? lease.lease : lease, defaults);
  checkMaxHold(lease, defaults);
};

/** The terms of a request whose wait starts now. */
export const termsOf = ({ lease, wait, signal, note }: LockRequest, scheduler: MonotonicScheduler): AcquireTerms => ({
  lease,
  limit: new WaitLimit(scheduler, wait, signal ? [signal] : NO_SIGNALS),
  note,
});

/**
 * Like {@link termsOf}, after checking the lease against the settings of the connection.
 * @throws LockOptionsError
 */
export const acceptedTerms = (request: LockRequest, { defaults, scheduler }: AcquireServices): AcquireTerms => {
  checkLeaseTerms(request.lease, defaults);
  return termsOf(request, scheduler);
};

/**
 * Parses the argument of `extend`: a lease, or how the watchdog renews the hold from now on.
 * @throws LockOptionsError that names option and value, or two options that contradict each other.
 */
export const parseExtension = (given: unknown, defaults: AcquireDefaults): LeaseTerms => {
  const lease = typeof given === 'object' && given !== null ? parseRenewal(given) : parseLease(given, 'lease');
  checkLeaseTerms(lease, defaults);
  return lease;
};

const parseRenewal = (given: object): LeaseTerms => {
  const options = parseOptions(given, LEASE_OPTIONS, { of: 'extend' });
  const lease = parseLeaseTerms(options);
  if (options.renew === true) return lease;
  throw contradiction('extend', 'a missing renew: true', 'a lease is given by itself, such as extend("30s")');
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
  const given = parseOptions(options, WAIT_OPTIONS, { of: 'acquire, tryAcquire and await' });
  const wait = given.wait === undefined ? defaultWait : parseWait(given.wait, 'wait');
  const signal = parseSignal(given.signal);
  return new WaitLimit(scheduler, wait, signal ? [signal] : NO_SIGNALS);
};
