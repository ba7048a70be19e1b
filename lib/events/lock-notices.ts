import type { DeadlockStep } from './deadlock-step.js';
import type { OfLock } from './life-cycle-events.js';
import type { Outage, Recovery } from './outage.js';

/** The hold that an event is about. */
export interface OfHold extends OfLock {
  /** The owner id, as stored in Redis. */
  readonly owner: string;
  /** How long it had been held, ms. */
  readonly heldFor: number;
}

/** A lock that was held while the event loop stood. */
export interface BlockedLock {
  readonly lockName: string;
  /** The owner id, as stored in Redis. */
  readonly owner: string;
  /** The method or interceptor that acquired it, as for other events. */
  readonly method?: string | undefined;
  /** The lease of the hold, ms. */
  readonly lease: number;
  /**
   * The state found afterwards. `renewed-in-worker`: the worker of `renewIn` has renewed it in time, and the watchdog
   * after that. `renewed`: the watchdog renewed it late. `held`: it is still held without that, because
   * it has a lease of its own or its renewal failed and is tried again (`renewal-failed`). `released`: its owner had
   * released it. `lost`: its lease had ended, or the server no longer had it; the event `lost` is emitted as well.
   */
  readonly outcome: 'renewed-in-worker' | 'renewed' | 'held' | 'released' | 'lost';
}

/** An event that no caller's promise can report, and that an operator may have to act on. */
export type LockNotice =
  /**
   * A hold ended before its owner released it; or a permit, whose id is then the `owner`, before its `withPermit`
   * ended.
   */
  | (Omit<OfHold, 'heldFor'> & {
      readonly type: 'lost';
      /** Absent for a permit. */
      readonly heldFor?: number;
      readonly reason: string;
      /** How to prevent it. */
      readonly remedy: string;
    })
  /** A hold has reached `maxHold`, ms; it ends when its last renewal expires. */
  | (OfHold & { readonly type: 'max-hold-reached'; readonly maxHold: number })
  /** A hold has been kept for very long, ms, and no limit is set. */
  | (OfHold & { readonly type: 'long-hold' })
  /**
   * A hold or a permit was not released, and nothing in this process refers to it any more, so that nobody can release it.
   * It is not renewed any longer; other holds of its owner are. `acquiredAt`: the line of code that acquired it, as in a
   * stack; `undefined` if the process acquires too many to find that of each.
   */
  | (OfHold & { readonly type: 'forgotten'; readonly acquiredAt: string | undefined })
  /** The renewal of some holds failed; it is retried until the local deadline of each. */
  | {
      readonly type: 'renewal-failed';
      /** Number of holds. */
      readonly holds: number;
      /** The lock name of each. */
      readonly lockNames: readonly string[];
      /** The holds. */
      readonly locks: readonly OfHold[];
      readonly error: unknown;
    }
  /**
   * The event loop stood for more than a third of the lease of at least one hold, so that the main thread could renew
   * nothing: synchronous work, a long garbage collection, or a process that was stopped. Emitted when the watchdog has renewed
   * the holds, or found them lost. Once per connection.
   */
  | {
      readonly type: 'loop-blocked';
      /** How long the loop stood at least, ms; the longest time if it stood several times in a row. */
      readonly delay: number;
      /**
       * The functions in which the loop stood, each with the place where it begins, such as `work (/app/x.js:12:3)`;
       * innermost first, at most ten. Those of Node are left out. Absent without `renewIn: 'worker'`, and where the worker
       * could not find them, as in native code.
       */
      readonly stack?: readonly string[] | undefined;
      /** The holds for which it stood for more than a third of the lease. */
      readonly locks: readonly BlockedLock[];
    }
  /**
   * The worker thread of `renewIn` has ended, could not be started, or cannot reach Redis. The main thread renews as before,
   * but locks are lost while its event loop stands for too long. Only an unreachable server may come back.
   */
  | {
      readonly type: 'worker-failed';
      /** Why, as a sentence without its full stop, and without a password. */
      readonly reason: string;
    }
  /** A release could not be confirmed; it continues in the background until the lease ends. */
  | (Pick<OfHold, 'lockName' | 'owner'> &
      Partial<OfHold> & {
        /** `heldFor`, kind, template and method are absent if the lock was granted too late to be handed out. */
        readonly type: 'release-failed';
        readonly error: unknown;
      })
  /** A release of permits could not be confirmed; it continues in the background, see `given-up`. */
  | {
      readonly type: 'permits-release-failed';
      readonly lockName: string;
      readonly permits: number;
      readonly error: unknown;
    }
  /**
   * The outcome is unknown and is not followed up any more: Redis did not answer for a day, refused permanently, or the
   * application shuts down. After an `acquire` or `drain` whose caller received an error, permits may be missing; a
   * `release` or `count-down` may not have happened. Check the semaphore or latch of this name and correct it, for
   * example with `addPermits(count)` or `countDown()`.
   */
  | {
      readonly type: 'given-up';
      readonly lockName: string;
      readonly request: 'acquire' | 'drain' | 'release' | 'count-down';
      /** Number of permits or counts; `undefined` for a `drain`, which takes all there are. */
      readonly count: number | undefined;
      /** The error of the last attempt that was answered, or of the request itself. */
      readonly error: unknown;
    }
  /**
   * Callers of one name give different limits: a caller of this process `limit`, the last one that was admitted before it
   * `other`. Each caller is measured by its own, so up to the larger number run at once. Once for each pair of numbers.
   */
  | { readonly type: 'limits-differ'; readonly lockName: string; readonly limit: number; readonly other: number }
  /**
   * Callers waited for each other in a circle, and the one of them that had begun to wait last, in this process, was given
   * up with `LockDeadlockError`. `lockName` is the lock that it waited for.
   */
  | (OfLock & {
      readonly type: 'deadlock';
      /** How long it had waited, ms. */
      readonly waited: number;
      /** The waits: each is for what the next one holds, and the last one for what the first one holds. */
      readonly cycle: readonly DeadlockStep[];
    })
  /**
   * Code that held `first` acquired `second`, while code elsewhere in this process acquires them the other way round: they
   * can wait for each other for ever. Once for each pair. Option `lockOrder`.
   */
  | {
      readonly type: 'lock-order-inverted';
      /** The name of the connection. */
      readonly connection: string;
      /** The key template of the lock that was held, or its full name if it has none. */
      readonly first: string;
      /** The key template, or the full name, of the lock that was acquired. */
      readonly second: string;
      /** The method that acquired `second` just now; `undefined` for `LockService`. */
      readonly method: string | undefined;
      /** The method that acquired `first` while it held `second`. */
      readonly otherMethod: string | undefined;
    }
  /** A candidate could not stand for election, or its work as leader failed; it stands again after a second. */
  | { readonly type: 'election-failed'; readonly lockName: string; readonly error: unknown }
  /** A result was made but not stored for other processes, which make their own. */
  | { readonly type: 'result-not-shared'; readonly lockName: string; readonly error: unknown }
  /** A server's wall clock was set by this many ms: leases end there sooner or later than they should. */
  | { readonly type: 'clock-jumped'; readonly ms: number }
  /** A server cannot be reached or refuses commands, so calls fail. Once per outage, however many calls fail. */
  | ({ readonly type: 'unavailable' } & Outage)
  /** The end of an outage reported by `unavailable`. */
  | ({ readonly type: 'available' } & Recovery)
  /** An error without a caller to receive it: in a listener, or in a task of the scheduler. */
  | { readonly type: 'unexpected'; readonly error: unknown };

const TYPES: Readonly<Record<LockNotice['type'], true>> = {
  lost: true,
  'max-hold-reached': true,
  'long-hold': true,
  forgotten: true,
  'renewal-failed': true,
  'loop-blocked': true,
  'worker-failed': true,
  'release-failed': true,
  'permits-release-failed': true,
  'given-up': true,
  'limits-differ': true,
  deadlock: true,
  'lock-order-inverted': true,
  'election-failed': true,
  'result-not-shared': true,
  'clock-jumped': true,
  unavailable: true,
  available: true,
  unexpected: true,
};

/** The types of all notices. */
export const NOTICE_TYPES = Object.keys(TYPES) as readonly LockNotice['type'][];
