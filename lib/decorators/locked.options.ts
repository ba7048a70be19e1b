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

/** What happened when a locked method did not get its lock. */
export interface ConflictContext {
  /** Why: one try was allowed, or the wait was over. */
  readonly error: LockConflictError | LockTimeoutError;
  /** The arguments of the call; empty for `lockHandler`. */
  readonly args: readonly unknown[];
}

/** Answers a call that did not get its lock. */
export type ConflictHandler = (context: ConflictContext) => unknown;

/** What a method needs: the lock of its key, or permits of the semaphore of that name. */
export type LockedNeed =
  | (LockKindOptions &
      Pick<AcquireOptions, 'lease'> & {
        readonly permits?: undefined;
        /**
         * How long others do not get the lock at least, from when it was acquired, in ms or such as `'50s'`, however soon
         * the method ends: for what is to run once among many replicas, whose clocks differ. Default: 0.
         */
        readonly holdAtLeast?: Duration | undefined;
      })
  | {
      /**
       * How many permits of the semaphore of that name the method runs with; they are given back when it ends
       * (Redisson: `getSemaphore`). How many there are is set by `getSemaphore(name).trySetPermits()`. Permits have no
       * owner and no lease: those of a process that dies are lost, and a method that calls another needs more of them.
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
     * What a call returns that does not get the lock: `throw` the error (default), `skip` the method and return
     * `undefined`, or whatever a function returns. With the last two `wait` defaults to 0, since a call that may be left
     * out is not worth waiting for.
     */
    readonly onConflict?: 'throw' | 'skip' | ConflictHandler | undefined;
    /**
     * Whether a call stops to wait for the lock when the client of the HTTP request that it works for has gone. What
     * runs under the lock already goes on. Default: true for handlers, false for other methods.
     */
    readonly cancelOnDisconnect?: boolean | undefined;
    /**
     * Called when the method has ended, where it was called from; the lock is kept until what it returns has settled. For
     * a transaction around the method, which commits after it: `transactionEnd()` of `nest-redis-lock/transactional` or
     * `nest-redis-lock/typeorm`. The caller has the result meanwhile.
     */
    readonly releaseAfter?: ReleaseAfter | undefined;
  };

/** What a locked method returns: something that is there when it has run, or that goes on. */
type Returns = 'promise' | 'observable' | 'iterable';

/** How a method is locked. */
export type LockedOptions = LockHandlerOptions & {
  /**
   * What the method returns, where that cannot be seen: `observable` gives an Observable that takes the lock anew for
   * each subscription and holds it until completion or unsubscription; `iterable` gives an async iterable that takes
   * the lock when it is begun and holds it to its end. Default: seen from the declared type, and from `async *`.
   */
  readonly returns?: Returns | undefined;
};

/** A number of permits of a semaphore. */
export interface Permits {
  readonly permits: number;
}

/** The options, read once and checked. */
export interface LockedPlan {
  /** What a call needs of each name. */
  readonly need: ChosenKind | Permits;
  /** `undefined` is the default one. */
  readonly connection: string | undefined;
  readonly onConflict: 'throw' | 'skip' | ConflictHandler;
  readonly returns: Returns | undefined;
  readonly cancelOnDisconnect: boolean | undefined;
  readonly releaseAfter: ReleaseAfter | undefined;
  /** Milliseconds. */
  readonly holdAtLeast: number | undefined;
  /** Whether a call that fails so before it has its lock is left out, for who has nobody to tell. Default: none is. */
  readonly leavesOut?: (error: unknown) => boolean;
  /** @param defaultWait Milliseconds that the module waits by default. */
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

type Given = Partial<Record<(typeof OPTIONS)[number], unknown>>;

/**
 * @param of What the options are given to, for messages.
 * @throws LockOptionsError naming option and value.
 */
export const planFor = (options: LockedOptions | undefined, of = '@Locked'): LockedPlan => {
  const given: Given = parseOptions(options, OPTIONS, { of });
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
  // Checked now, where the method is written; the default wait is known only when the module runs.
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

const parsePermits = (given: Given): Permits => {
  const { permits: count } = given;
  for (const other of ['mode', 'fair', 'fenced', 'lease', 'holdAtLeast'] as const) {
    if (given[other] !== undefined) throw contradiction('permits', other, 'permits are those of a semaphore');
  }
  return { permits: parseCount(count, 'permits', { min: 1, max: MOST_PERMITS }) };
};
