import { runOutsideContexts } from '../context/owner-context.js';
import type { Outage, Recovery } from './outage.js';

/** The hold that an event is about. */
interface OfHold {
  readonly lockName: string;
  /** The owner id, as stored in Redis. */
  readonly owner: string;
  /**
   * The method or interceptor that acquired it, such as `@Locked Orders.pay`; `undefined` if acquired by `LockService`.
   */
  readonly method?: string | undefined;
  /** How long it had been held, ms. */
  readonly heldFor: number;
}

/** Events that no caller's promise can report. */
export type LockEvent =
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
  /** The renewal of some holds failed; it is retried until the local deadline of each. */
  | {
      readonly type: 'renewal-failed';
      /** Number of holds. */
      readonly holds: number;
      /** The lock name of each. */
      readonly lockNames: readonly string[];
      readonly error: unknown;
    }
  /** A release could not be confirmed; it continues in the background until the lease ends. */
  | (Omit<OfHold, 'heldFor'> & {
      readonly type: 'release-failed';
      /** Absent if the lock was granted too late to be handed out. */
      readonly heldFor?: number;
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

/**
 * Calls every listener once per event. A listener that throws affects neither the locks nor the other listeners.
 * Listeners run outside all contexts: an event may be emitted inside a caller's context, and a listener that locks
 * there would re-enter that caller's locks.
 */
export class LockEvents {
  private readonly listeners = new Set<(event: LockEvent) => void>();

  /** Calls `listener` for every event until the returned function is called. */
  on(listener: (event: LockEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(event: LockEvent): void {
    if (this.listeners.size > 0) runOutsideContexts(() => this.tell(event));
  }

  private tell(event: LockEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        if (event.type !== 'unexpected') this.tell({ type: 'unexpected', error });
      }
    }
  }
}
