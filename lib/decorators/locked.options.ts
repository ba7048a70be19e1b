import { MOST_PERMITS } from '../backend/counter-operations.js';
import { type LockConflictError, type LockTimeoutError } from '../errors.js';
import { parseOptions, invalidOption } from '../validation/options.js';
import {
  type ChosenKind,
  contradiction,
  type LockKindOptions,
  parseKind,
  type ConnectionChoice,
  parseConnectionName,
} from '../locks/lock.options.js';
import { parseCount } from '../synchronizers/permit.options.js';
import { type Duration, parseLease, parseWait } from '../time/duration.js';
import type { ReleaseAfter } from './release-after.js';
import { type AcquireOptions, type LockRequest } from '../waiting/acquire.options.js';

/** Describes a call that did not get its lock. */
export interface ConflictContext {
  /** The reason: the single attempt failed, or the wait limit passed. */
  readonly error: LockConflictError | LockTimeoutError;
  /** The arguments of the call; empty for `lockHandler`. */
  readonly args: readonly unknown[];
}

/** Returns the result of a call that did not get its lock. */
export type ConflictHandler = (context: ConflictContext) => unknown;

/** The thing a method acquires: the lock of its key, or permits of the semaphore of that name. */
export type LockedNeed =
  | (LockKindOptions &
      Pick<AcquireOptions, 'lease'> & {
        readonly permits?: undefined;
        /**
         * Minimum time for which other owners do not get the lock, counted from acquisition, in ms or such as `'50s'`,
         * even if the method ends sooner. For jobs that are to run once among many replicas whose clocks differ.
         * Default: 0.
         */
        readonly holdAtLeast?: Duration | undefined;
      })
  | {
      /**
       * Number of permits of the semaphore of that name that a call acquires; they are released when the method ends
       * (Redisson: `getSemaphore`). The total is set by `getSemaphore(name).trySetPermits()`. Permits have no owner and
       * no lease: those of a process that dies are lost, and a method that calls another one needs more of them.
       */
      readonly permits: number;
      readonly holdAtLeast?: undefined;
      readonly lease?: undefined;
      readonly mode?: undefined;
      readonly fair?: undefined;
      readonly fenced?: undefined;
    };

/** How a method or a handler is locked. */
export type LockHandlerOptions = LockedNeed &
  ConnectionChoice &
  Pick<AcquireOptions, 'wait'> & {
    /**
     * Result of a call that does not get the lock: `throw` the error (default), `skip` the method and return
     * `undefined`, or the result of a function. With `skip` or a function, `wait` defaults to 0, because a call that
     * may be skipped is not worth waiting for.
     */
    readonly onConflict?: 'throw' | 'skip' | ConflictHandler | undefined;
    /**
     * Whether a call stops waiting for the lock when the client of its HTTP request disconnects. A method that already
     * runs under the lock continues. Default: true for handlers, false for other methods.
     */
    readonly cancelOnDisconnect?: boolean | undefined;
    /**
     * Called when the method has ended, in the async context of the call; the lock is kept until the returned promise
     * has settled. For a transaction around the method, which commits later: `transactionEnd()` of
     * `nest-redis-lock/transactional` or `nest-redis-lock/typeorm`. The caller's result is not delayed.
     */
    readonly releaseAfter?: ReleaseAfter | undefined;
  };

/** How a method returns: a value that is complete once it has run, or a stream of values that goes on. */
type Returns = 'promise' | 'observable' | 'iterable';

/** How a method is locked. */
export type LockedOptions = LockHandlerOptions & {
  /**
   * The kind of result, if it cannot be detected: `observable` returns an Observable that acquires the lock anew
   * for each subscription and holds it until completion or unsubscription; `iterable` returns an async iterable that
   * acquires the lock when iteration starts and holds it until it ends. Default: detected from the declared type, and
   * from `async *`.
   */
  readonly returns?: Returns | undefined;
};

/** A number of permits of a semaphore. */
export interface Permits {
  readonly permits: number;
}

/** The options, parsed and validated. */
export interface LockedPlan {
  /** The lock kind or the permits that a call needs of each name. */
  readonly need: ChosenKind | Permits;
  /** `undefined`: the default connection. */
  readonly connection: string | undefined;
  readonly onConflict: 'throw' | 'skip' | ConflictHandler;
  readonly returns: Returns | undefined;
  readonly cancelOnDisconnect: boolean | undefined;
  readonly releaseAfter: ReleaseAfter | undefined;
  /** Milliseconds. */
  readonly holdAtLeast: number | undefined;
  /** Errors before acquisition for which a call is skipped, for callers that handle no errors. Default: none. */
  readonly leavesOut?: (error: unknown) => boolean;
  /** @param defaultWait The module's default wait limit, ms. */
  request(defaultWait: number, signal?: AbortSignal): LockRequest;
}

const isConflictPolicy = (value: unknown): value is LockedPlan['onConflict'] =>
  value === 'throw' || value === 'skip' || typeof value === 'function';

const isReleaseAfter = (value: unknown): value is ReleaseAfter => typeof value === 'function';

const isReturns = (value: unknown): value is LockedPlan['returns'] =>
  value === undefined || value === 'promise' || value === 'observable' || value === 'iterable';

const OPTIONS = [
  'lease',
  'wait',
  'mode',
  'fair',
  'fenced',
  'permits',
  'connection',
  'holdAtLeast',
  'onConflict',
  'cancelOnDisconnect',
  'releaseAfter',
  'returns',
] as const;

type GivenLockedOptions = Partial<Record<(typeof OPTIONS)[number], unknown>>;

/**
 * @param of The receiver of the options, for messages.
 * @throws LockOptionsError that names option and value.
 */
export const planFor = (options: LockedOptions | undefined, of = '@Locked'): LockedPlan => {
  const given: GivenLockedOptions = parseOptions(options, OPTIONS, { of });
  const { onConflict = 'throw', cancelOnDisconnect, releaseAfter, returns } = given;
  if (!isConflictPolicy(onConflict)) {
    throw invalidOption('onConflict', onConflict, '"throw", "skip" or a function');
  }
  if (cancelOnDisconnect !== undefined && typeof cancelOnDisconnect !== 'boolean') {
    throw invalidOption('cancelOnDisconnect', cancelOnDisconnect, 'true or false');
  }
  if (releaseAfter !== undefined && !isReleaseAfter(releaseAfter)) {
    throw invalidOption('releaseAfter', releaseAfter, 'a function');
  }
  if (!isReturns(returns)) throw invalidOption('returns', returns, '"promise", "observable" or "iterable"');
  // Checked here, when the decorator is applied; the default wait is known only when the module runs.
  const need = given.permits === undefined ? parseKind(given) : parsePermits(given);
  const connection = parseConnectionName(given.connection);
  const lease = given.lease === undefined ? undefined : parseLease(given.lease, 'lease');
  const wait = given.wait === undefined ? undefined : parseWait(given.wait, 'wait');
  const holdAtLeast = given.holdAtLeast === undefined ? undefined : parseLease(given.holdAtLeast, 'holdAtLeast');
  if (holdAtLeast !== undefined && lease !== undefined && holdAtLeast > lease) {
    throw contradiction('holdAtLeast', 'lease', 'a lock is not held for longer than its lease');
  }
  return {
    need,
    connection,
    onConflict,
    returns,
    cancelOnDisconnect,
    releaseAfter,
    holdAtLeast,
    request: (defaultWait, signal) => {
      const fallback = onConflict === 'throw' ? defaultWait : 0;
      return { lease, wait: wait ?? fallback, signal };
    },
  };
};

const parsePermits = (given: GivenLockedOptions): Permits => {
  const { permits: count } = given;
  for (const other of ['mode', 'fair', 'fenced', 'lease', 'holdAtLeast'] as const) {
    if (given[other] !== undefined) throw contradiction('permits', other, 'permits are those of a semaphore');
  }
  return { permits: parseCount(count, 'permits', { min: 1, max: MOST_PERMITS }) };
};
