import { runOutsideRegions } from '../context/owner-context.js';
import type { Outage, Recovery } from './outage.js';

/** A hold that an event is about. */
interface OfHold {
  readonly lockName: string;
  /** Who holds it, as it stands in Redis. */
  readonly owner: string;
  /** The method or interceptor that acquired it, such as `@Locked Orders.pay`; `undefined` if `LockService` was called. */
  readonly method?: string | undefined;
  /** For how long it had been held, ms. */
  readonly heldFor: number;
}

/** What happened beside the calls that returned: everything that has no promise of its own to reject. */
export type LockEvent =
  /** A hold ended before its owner released it; or a permit, which is then the `owner`, before its `withPermit` ended. */
  | (Omit<OfHold, 'heldFor'> & {
      readonly type: 'lost';
      /** Absent for a permit. */
      readonly heldFor?: number;
      readonly reason: string;
      /** How to keep that from happening again. */
      readonly remedy: string;
    })
  /** A hold has been kept for as long as is allowed, ms; it ends when its last renewal has run out. */
  | (OfHold & { readonly type: 'held-too-long'; readonly maxHold: number })
  /** A hold is kept for very long, ms, and nothing limits that. */
  | (OfHold & { readonly type: 'held-long' })
  /** The renewal of some holds failed; it is tried again until the local deadline of each. */
  | {
      readonly type: 'renewal-failed';
      /** How many. */
      readonly holds: number;
      /** The name of the lock of each. */
      readonly lockNames: readonly string[];
      readonly error: unknown;
    }
  /** A release could not be confirmed; it goes on in the background until the lease is over. */
  | (Omit<OfHold, 'heldFor'> & {
      readonly type: 'release-failed';
      /** Absent if it was granted too late to be handed out. */
      readonly heldFor?: number;
      readonly error: unknown;
    })
  /** Permits could not be given back for certain; that goes on in the background, see `given-up`. */
  | {
      readonly type: 'permits-release-failed';
      readonly lockName: string;
      readonly permits: number;
      readonly error: unknown;
    }
  /**
   * Nobody knows whether this happened, and nothing follows it up any more: Redis did not answer for a day, refused it for
   * good, or the application shuts down. Of an `acquire` or a `drain` whose caller was told that it failed, permits may be
   * missing; a `release` or `count-down` may not have happened. Look at the semaphore or latch of this name, and put it
   * right, with `addPermits(count)` or `countDown()` for instance.
   */
  | {
      readonly type: 'given-up';
      readonly lockName: string;
      readonly request: 'acquire' | 'drain' | 'release' | 'count-down';
      /** How many permits or counts; `undefined` for a `drain`, which takes all there are. */
      readonly count: number | undefined;
      /** What the last try failed with. */
      readonly error: unknown;
    }
  /** A candidate could not stand, or what it does as the leader failed; it stands again after a second. */
  | { readonly type: 'election-failed'; readonly lockName: string; readonly error: unknown }
  /** A result was made, but not left for other processes, which make their own. */
  | { readonly type: 'result-not-shared'; readonly lockName: string; readonly error: unknown }
  /** A server's wall clock was set by so many ms: leases end there sooner or later than they should. */
  | { readonly type: 'clock-jumped'; readonly ms: number }
  /** A server cannot be reached or refuses us, and calls fail. Once for each outage, however many calls fail. */
  | ({ readonly type: 'unavailable' } & Outage)
  /** The end of an outage that `unavailable` told of. */
  | ({ readonly type: 'available' } & Recovery)
  /** Something was thrown where nobody waits for it: a listener, a task of the scheduler. */
  | { readonly type: 'unexpected'; readonly error: unknown };

/**
 * Calls every listener once for each event. A listener that throws disturbs neither the locks nor the other listeners.
 * Listeners run outside all regions: an event may be emitted by a call inside somebody's region, and a listener that locks
 * there would re-enter the locks of that caller.
 */
export class LockEvents {
  private readonly listeners = new Set<(event: LockEvent) => void>();

  /** Calls `listener` for every event until the function that is returned is called. */
  on(listener: (event: LockEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(event: LockEvent): void {
    if (this.listeners.size > 0) runOutsideRegions(() => this.tell(event));
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
