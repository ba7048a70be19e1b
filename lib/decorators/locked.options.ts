import { MOST_PERMITS } from '../backend/kinds/counters/counters.js';
import type { Beside } from '../validation/refused.js';
import { contradiction, invalidOption, namesOf, parseCount, parseOptions } from '../validation/options.js';
import { type ConnectionChoice, parseConnectionName } from '../locks/options/connection-choice.js';
import { type ChosenKind, KIND_OPTIONS, type LockKindOptions } from '../locks/options/kind.options.js';
import {
  defaultWaitOf,
  parseKindOfWork,
  parseWithLock,
  WITH_LOCK_OPTIONS,
  type WithLockOptions,
  type WithLockPlan,
} from '../locks/options/lock.options.js';
import { parseWait } from '../time/duration.js';
import { type CallerSignal, type FoundSignal, parseCallerSignal } from './caller-signal.js';
import type { ReleaseAfter } from './release-after.js';
import {
  type AcquireOptions,
  LEASE_OPTIONS,
  type LeaseOptions,
  type LockRequest,
  parseLeaseTerms,
} from '../waiting/acquire.options.js';

const NOT_WITH_PERMITS = [...KIND_OPTIONS, ...LEASE_OPTIONS, 'holdAtLeast'] as const;
type NotWithPermits = (typeof NOT_WITH_PERMITS)[number];

/** The thing a method acquires: the lock of its key, or permits of the semaphore of that name. */
export type LockedNeed =
  | (LockKindOptions & LeaseOptions & Pick<WithLockOptions, 'holdAtLeast'> & { readonly permits?: undefined })
  | ({ readonly [Name in NotWithPermits]?: undefined } & {
      /**
       * Number of permits of the semaphore of that name that a call acquires; they are released when the method ends
       * (Redisson: `getSemaphore`). The total is set by `getSemaphore(name).trySetPermits()`. Permits have no owner and
       * no lease: those of a process that crashes are lost for good, until someone adds them by `addPermits()`, and a
       * method that calls another one needs more of them. For data shared with Redisson; otherwise use `limit`.
       */
      readonly permits: number;
    });

/** Options that {@link parseNeed} refuses together, and why. */
export type NeedContradictions = [
  [
    Beside<'permits', NotWithPermits>,
    'permits are those of a semaphore: without limit, holdAtLeast, and options of kinds and leases',
  ],
];

/** How a method or a handler is locked. */
export type LockHandlerOptions = LockedNeed &
  ConnectionChoice &
  Pick<AcquireOptions, 'wait'> &
  Pick<WithLockOptions, 'onConflict' | 'release'> & {
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
   * Finds the caller's `AbortSignal` among the arguments of the method. When it aborts, the call stops waiting for the
   * lock and fails with `LockAbortedError`; a method that already runs under the lock continues. Its parameters must be
   * those of the method, with their types. It may return `undefined`: then only `wait` ends the wait. Default: none.
   *
   * @example
   * @Locked('order:<0>', { wait: '30s', signal: (_id: string, signal: AbortSignal) => signal })
   * async pay(id: string, signal: AbortSignal) { … }
   */
  readonly signal?: CallerSignal | undefined;
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
export interface LockedPlan extends WithLockPlan {
  /** The lock kind, or the permits of a semaphore, that a call needs of each name. */
  readonly need: ChosenKind | Permits;
  /** `undefined`: the default connection. */
  readonly connection: string | undefined;
  readonly returns: Returns | undefined;
  readonly cancelOnDisconnect: boolean | undefined;
  readonly releaseAfter: ReleaseAfter | undefined;
  /** Finds the caller's signal among the arguments of a call. */
  readonly signal: FoundSignal | undefined;
  /**
   * Errors before acquisition for which a call of the method of an instance is skipped, for callers that handle no
   * errors. Default: none.
   */
  readonly leavesOut?: (error: unknown, instance: unknown) => boolean;
  /** @param defaultWait The module's default wait limit, ms. */
  request(defaultWait: number, signal?: AbortSignal): LockRequest;
}

const isReleaseAfter = (value: unknown): value is ReleaseAfter => typeof value === 'function';

const isReturns = (value: unknown): value is LockedPlan['returns'] =>
  value === undefined || value === 'promise' || value === 'observable' || value === 'iterable';

const HANDLER_OPTIONS = namesOf<LockHandlerOptions>()(
  ...LEASE_OPTIONS,
  'wait',
  ...KIND_OPTIONS,
  'permits',
  'connection',
  ...WITH_LOCK_OPTIONS,
  'cancelOnDisconnect',
  'releaseAfter',
);
const OPTIONS = namesOf<LockedOptions>()(...HANDLER_OPTIONS, 'returns', 'signal');

type GivenLockedOptions = Partial<Record<keyof LockedOptions, unknown>>;

/**
 * @param of The receiver of the options, for messages.
 * @throws LockOptionsError that names option and value.
 */
export const planFor = (options: LockedOptions | undefined, of = '@Locked'): LockedPlan =>
  planOf(parseOptions(options, OPTIONS, { of }));

/** As {@link planFor}, for an interceptor, which sees the request but no arguments. */
export const planForHandler = (options: LockHandlerOptions | undefined, of: string): LockedPlan =>
  planOf(parseOptions(options, HANDLER_OPTIONS, { of }));

const planOf = (given: GivenLockedOptions): LockedPlan => {
  const { cancelOnDisconnect, releaseAfter, returns } = given;
  if (cancelOnDisconnect !== undefined && typeof cancelOnDisconnect !== 'boolean') {
    throw invalidOption('cancelOnDisconnect', cancelOnDisconnect, 'true or false');
  }
  if (releaseAfter !== undefined && !isReleaseAfter(releaseAfter)) {
    throw invalidOption('releaseAfter', releaseAfter, 'a function');
  }
  if (!isReturns(returns)) throw invalidOption('returns', returns, '"promise", "observable" or "iterable"');
  // Checked here, when the decorator is applied; the default wait is known only when the module runs.
  const need = parseNeed(given);
  const connection = parseConnectionName(given.connection);
  const lease = parseLeaseTerms(given);
  const wait = given.wait === undefined ? undefined : parseWait(given.wait, 'wait');
  const work = parseWithLock(given, lease);
  return {
    ...work,
    need,
    connection,
    returns,
    cancelOnDisconnect,
    releaseAfter,
    signal: parseCallerSignal(given.signal),
    request: (defaultWait, ended) => ({ lease, wait: wait ?? defaultWaitOf(work, defaultWait), signal: ended }),
  };
};

const parseNeed = (given: GivenLockedOptions): LockedPlan['need'] =>
  given.permits === undefined ? parseKindOfWork(given) : parsePermits(given);

const parsePermits = (given: GivenLockedOptions): Permits => {
  const other = NOT_WITH_PERMITS.find((option) => given[option] !== undefined);
  if (other) throw contradiction('permits', other, 'permits are those of a semaphore');
  if (given.onConflict === 'replace')
    throw contradiction('permits', 'onConflict "replace"', 'only plain and fenced locks are taken over');
  return { permits: parseCount(given.permits, 'permits', { min: 1, max: MOST_PERMITS }) };
};
