import { renewalPeriod } from '../renewal-schedules.js';
import type { SharedTimes } from './shared-times.js';

/** The share of a lease from a renewal that failed to the next. */
const RETRY = 1 / 15;
/** The share of the shortest lease from one look at the beat of the main thread to the next. */
const LOOK = 1 / 30;
const SHORTEST_LOOK_MS = 5;

/** The members of the backend whose holds the worker renews. */
export const BACKEND_KINDS = [
  'lock',
  'fairLock',
  'fencedLock',
  'groupLock',
  'limit',
  'readLock',
  'writeLock',
  'permitExpirableSemaphore',
] as const;

/** The operations by which a hold is renewed: a member of the backend, or the masters of a RedLock. */
export type RenewableKind = (typeof BACKEND_KINDS)[number] | 'masters';

/** A hold of the main thread, as the worker knows it. */
export interface HoldOfMain {
  readonly kind: RenewableKind;
  readonly name: string;
  readonly owner: string;
  readonly times: SharedTimes;
}

/** A hold that has to be renewed now. */
export interface DueHold {
  readonly hold: HoldOfMain;
  readonly lease: number;
}

/**
 * The holds of the main thread, and which of them the worker renews: those for which that thread has stood for a third of
 * their lease, so that it renews none itself. Once it has stood for too long, none: it hangs, and others are to get its
 * locks. All times are on the clock that the threads share.
 */
export class WorkerHolds {
  /** By hold: when it is to be renewed next; `Infinity` while a renewal is in flight. */
  private readonly dueAt = new Map<HoldOfMain, number>();
  /** The shortest lease, ms. Found anew with each look. */
  private shortest = Number.POSITIVE_INFINITY;

  /**
   * @param beat Returns the last time when the event loop of the main thread ran.
   * @param longest How long it may stand, ms.
   */
  constructor(
    private readonly now: () => number,
    private readonly beat: () => number,
    private readonly longest: number,
  ) {}

  get size(): number {
    return this.dueAt.size;
  }

  add(hold: HoldOfMain): void {
    this.dueAt.set(hold, 0);
    this.shortest = Math.min(this.shortest, hold.times.lease);
  }

  /** Milliseconds until the next look; `Infinity` if there is nothing to look at. */
  get pause(): number {
    return Math.max(SHORTEST_LOOK_MS, this.shortest * LOOK);
  }

  /** The holds to renew now. Each is taken once, until {@link renewed} or {@link failed} is called with it. */
  takeDue(): readonly DueHold[] {
    const now = this.now();
    const stood = now - this.beat();
    const due: DueHold[] = [];
    this.shortest = Number.POSITIVE_INFINITY;
    for (const [hold, at] of this.dueAt) {
      const { times } = hold;
      if (times.isOver) {
        this.dueAt.delete(hold);
        continue;
      }
      this.shortest = Math.min(this.shortest, times.lease);
      const isLate = stood >= renewalPeriod(times.lease) && stood <= this.longest;
      const lease = times.neededLease(now);
      if (isLate && at <= now && lease > 0) {
        this.dueAt.set(hold, Number.POSITIVE_INFINITY);
        due.push({ hold, lease });
      }
    }
    return due;
  }

  /** Called when the server has renewed the hold by a command that was sent at `sent`. */
  renewed(hold: HoldOfMain, sent: number): void {
    if (this.dueAt.has(hold)) this.dueAt.set(hold, sent + renewalPeriod(hold.times.lease));
  }

  /** Called when it is unknown whether the server has renewed the hold. */
  failed(hold: HoldOfMain): void {
    hold.times.fail();
    if (this.dueAt.has(hold)) this.dueAt.set(hold, this.now() + hold.times.lease * RETRY);
  }

  /** Called when the server has the hold no more. */
  gone(hold: HoldOfMain): void {
    hold.times.setGone();
    this.dueAt.delete(hold);
  }
}
