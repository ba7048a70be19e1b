import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import { RenewalSchedule } from './renewal-schedule.js';
import { renewalPeriod } from './renewal-times.js';
import type { Watched } from './watched.js';

/** Holds that are due, and milliseconds from one renewal of each to the next. */
export interface DueHolds {
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
    const { shares } = schedule;
    hold.scheduleEntry = schedule.add(hold, now);
    return schedule.shares > shares;
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
  isInPlace({ scheduleEntry, renewedLease }: Watched): boolean {
    return scheduleEntry?.schedule.period === renewalPeriod(renewedLease);
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
