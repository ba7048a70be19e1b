import type { LockOperations } from '../backend/lock-operations.js';
import type { OwnerId } from '../context/owner-ids.js';
import type { OfHold } from '../events/lock-notices.js';
import type { Lease } from './lease.js';
import { LinkedList, ListNode } from '../linked-list.js';
import type { MonotonicScheduler, ScheduledTask } from '../time/scheduler.js';

/**
 * Holds renewed by one command, or verified in one event-loop turn: few commands for ten thousand holds, each short
 * enough to keep the server free.
 */
export const BATCH = 500;

/** A hold that the watchdog looks after until it is released or lost, or until its own lease ends. */
export interface Watched {
  /** Managed by the watchdog. */
  scheduleEntry?: ScheduleEntry<Watched> | undefined;
  /** Operations that renew it, in one batch with other holds of the same kind. */
  readonly operations: Pick<LockOperations, 'renew'>;
  readonly name: string;
  readonly owner: OwnerId;
  /** The method or interceptor that acquired it, if any. */
  readonly method: string | undefined;
  readonly lease: Lease;
  /** Milliseconds since the grant. */
  readonly heldFor: number;
  /** The fields of events about it. */
  readonly eventFields: OfHold;
  /** Why it was lost; `undefined`: it was not. */
  readonly loss: string | undefined;
  /** The lease that it needs from now on, ms. */
  readonly neededLease: number;
  /** Milliseconds that each renewal grants, as far as the hold lasts that long. */
  readonly renewedLease: number;
  /** Milliseconds for which the watchdog renews it at most; 0: it does not, or only as far as a lease of its own lasts. */
  readonly keptFor: number;
  /** Whether it will end by itself soon: its deadline then keeps its timer even while renewals work. */
  readonly isEnding: boolean;
  /** Whether it is renewed; otherwise it is only verified. */
  readonly isRenewed: boolean;
  /** Whether another command for it is in flight, which extends its lease as well. */
  readonly isBusy: boolean;
  /** Asks the server whether it still has the lock; if not, the hold is lost. Never rejects. */
  verify(): Promise<void>;
  /** Called when a renewal was confirmed. @param lease Milliseconds. */
  onRenewed(lease: number): void;
  /** Called in every round: emits an event if it has been held for too long. */
  checkAge(): void;
}

/** An entry of a schedule, and the time when it was last taken. */
export class ScheduleEntry<T> extends ListNode<ScheduleEntry<T>> {
  constructor(
    readonly schedule: RenewalSchedule<T>,
    readonly item: T,
    public at: number,
  ) {
    super();
  }
}

/**
 * Round robin: every entry is due at least once per `period`. Entries are taken in batches of at most `most`, spread
 * evenly over the period, least recently taken first, so overdue entries are caught up in the order they became due.
 */
export class RenewalSchedule<T> {
  /** Least recently taken first. */
  private readonly entries = new LinkedList<ScheduleEntry<T>>();
  private takenAt = Number.NEGATIVE_INFINITY;

  /**
   * @param period Milliseconds within which every entry is taken.
   * @param most Maximum size of a batch.
   */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    readonly period: number,
    private readonly most: number,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  /** Number of batches per period. */
  get shares(): number {
    return Math.ceil(this.size / this.most);
  }

  /** Milliseconds until the next batch is due; 0 or less if it is overdue. */
  pause(now = this.scheduler.now()): number {
    const longestAgo = this.entries.first?.at ?? now;
    return Math.min(this.takenAt + this.period / this.shares, longestAgo + this.period) - now;
  }

  /** @returns The entry, needed to delete it. */
  add(item: T, now = this.scheduler.now()): ScheduleEntry<T> {
    const entry = new ScheduleEntry(this, item, now);
    // An empty schedule had nothing due, so its period starts now.
    if (this.size === 0) this.takenAt = entry.at;
    this.entries.append(entry);
    return entry;
  }

  delete(entry: ScheduleEntry<T>): void {
    this.entries.delete(entry);
  }

  /** The next batch; larger, up to `most`, if more entries are overdue. */
  take(): T[] {
    const now = this.scheduler.now();
    const share = Math.ceil(this.size / this.shares);
    const taken: T[] = [];
    for (let next = this.entries.first; next; next = this.entries.first) {
      const isLate = next.at + this.period <= now;
      if (taken.length === this.most || (taken.length >= share && !isLate)) break;
      taken.push(next.item);
      next.at = now;
      this.entries.append(next);
    }
    this.takenAt = now;
    return taken;
  }

  *[Symbol.iterator](): Generator<T, undefined> {
    for (const { item } of this.entries) yield item;
  }
}

/** Shares of the watchdog's timeout: from one renewal to the next, and from sending one that failed to its retry. */
const PERIOD = 1 / 3;
const RETRY = 1 / 15;
/** If a hold has little left, the retry comes after this share of that, but not below this share of the timeout. */
const HASTE = 1 / 4;
const SHORTEST_RETRY = 1 / 150;
/** The share of the timeout by which a lease may fall short of what its hold needs; clock drift is less. */
const LACKING = 1 / 6;

/** The facts by which it is decided when a hold is renewed. */
interface Renewable {
  readonly lease: Pick<Lease, 'remaining'>;
  /** The lease that it needs from now on, ms. */
  readonly neededLease: number;
}

/** Milliseconds from one renewal of a hold to the next. */
export const renewalPeriod = (timeout: number): number => timeout * PERIOD;

/** A hold that ends within this time, ms, is not renewed any more. */
export const lastRenewalWithin = (timeout: number): number => timeout * (1 - PERIOD);

/** A lease that ends before the round after the next is not renewed, unless the last renewal failed. */
export const isWorthRenewing = ({ neededLease, lease }: Renewable, timeout: number): boolean =>
  neededLease > lastRenewalWithin(timeout) || neededLease - lease.remaining > timeout * LACKING;

/**
 * Whether the last renewal of a hold failed, or is overdue: less is left than the time from one to the next. For a hold that
 * the watchdog renews.
 */
export const isRenewalMissing = ({
  lease,
  isEnding,
  renewedLease,
}: Pick<Watched, 'isEnding' | 'renewedLease'> & { readonly lease: Pick<Lease, 'isDoubtful' | 'remaining'> }): boolean =>
  lease.isDoubtful || (!isEnding && lease.remaining < renewalPeriod(renewedLease));

/**
 * Milliseconds from sending a renewal that failed to its retry. One that failed late, such as behind a blocked event
 * loop, leaves less time than usual.
 */
export const retryPause = (holds: readonly Pick<Renewable, 'lease'>[], timeout: number): number => {
  const left = Math.min(...holds.map(({ lease }) => lease.remaining).filter((ms) => ms > 0));
  const pause = Math.min(timeout * RETRY, left * HASTE);
  return Math.max(timeout * SHORTEST_RETRY, pause) * (0.5 + Math.random());
};

/** The timer of the next round of the watchdog. */
export class RoundTimer {
  private timer: ScheduledTask | undefined;
  /** The time for which the next round is planned, by the scheduler; past if holds are overdue already. */
  private due = 0;
  private lateBy = 0;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly onRound: () => void,
  ) {}

  /** Milliseconds by which the last round was late, or the next one is late already, whichever is more. */
  get lag(): number {
    const overdue = this.timer ? this.scheduler.now() - this.due : 0;
    return Math.max(this.lateBy, overdue, 0);
  }

  /** Plans a round in `pause` ms. Keeps a timer that fires sooner: locks come and go faster than timers. */
  arm(pause: number, now: number): void {
    const due = now + pause;
    if (this.timer && this.due <= due) return;
    this.timer?.cancel();
    this.due = due;
    this.timer = this.scheduler.schedule(pause, () => this.fire());
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  private fire(): void {
    this.timer = undefined;
    this.lateBy = this.scheduler.now() - this.due;
    this.onRound();
  }
}

/** Holds that are due, and milliseconds from one renewal of each to the next. */
interface DueHolds {
  readonly holds: readonly Watched[];
  readonly period: number;
}

/** One schedule for each length of lease that is renewed; nearly all holds are in that of the watchdog's timeout. */
export class RenewalSchedules implements Iterable<Watched> {
  private readonly usual: RenewalSchedule<Watched>;
  /** By their period. None is empty. */
  private readonly others = new Map<number, RenewalSchedule<Watched>>();

  /**
   * @param timeout Milliseconds that renewals usually grant.
   * @param most Maximum size of a batch.
   */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    timeout: number,
    private readonly most: number,
  ) {
    this.usual = new RenewalSchedule<Watched>(scheduler, renewalPeriod(timeout), most);
  }

  get size(): number {
    let { size } = this.usual;
    for (const schedule of this.others.values()) size += schedule.size;
    return size;
  }

  /** Adds a hold. Returns whether the next batch may be due sooner. */
  add(hold: Watched, now: number): boolean {
    const schedule = this.scheduleFor(hold);
    const isOneBatchMore = schedule.size % this.most === 0;
    hold.scheduleEntry = schedule.add(hold, now);
    return isOneBatchMore;
  }

  delete(hold: Watched): void {
    const { scheduleEntry } = hold;
    if (!scheduleEntry) return;
    const { schedule } = scheduleEntry;
    schedule.delete(scheduleEntry);
    hold.scheduleEntry = undefined;
    if (schedule.size === 0) this.others.delete(schedule.period);
  }

  /** Whether a hold is in the schedule of the lease that it is renewed with now. */
  isInPlace(hold: Watched): boolean {
    const { scheduleEntry } = hold;
    return scheduleEntry !== undefined && scheduleEntry.schedule.period === renewalPeriod(hold.renewedLease);
  }

  /** Milliseconds until the next batch is due; 0 or less if it is overdue; `Infinity` without holds. */
  pause(now: number): number {
    let pause = this.usual.size > 0 ? this.usual.pause(now) : Number.POSITIVE_INFINITY;
    for (const schedule of this.others.values()) pause = Math.min(pause, schedule.pause(now));
    return pause;
  }

  /** The next batch of each schedule that has one. */
  takeDue(): readonly DueHolds[] {
    return [this.usual, ...this.others.values()]
      .filter((schedule) => schedule.size > 0 && schedule.pause() <= 0)
      .map((schedule) => ({ holds: schedule.take(), period: schedule.period }));
  }

  *[Symbol.iterator](): Generator<Watched, undefined> {
    yield* this.usual;
    for (const schedule of this.others.values()) yield* schedule;
  }

  private scheduleFor({ renewedLease }: Watched): RenewalSchedule<Watched> {
    const period = renewalPeriod(renewedLease);
    if (period === this.usual.period) return this.usual;
    const known = this.others.get(period);
    if (known) return known;
    const schedule = new RenewalSchedule<Watched>(this.scheduler, period, this.most);
    this.others.set(period, schedule);
    return schedule;
  }
}
