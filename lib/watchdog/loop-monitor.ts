import type { BlockedLock } from '../events/lock-notices.js';
import type { LockEvents } from '../events/lock-events.js';
import type { MonotonicScheduler, ScheduledTask } from '../time/scheduler.js';
import type { Watched } from './renewal-schedules.js';

/** The share of a lease for which the event loop may stand without an event: the time from one renewal to the next. */
const SHARE = 1 / 3;
/** The share of the shortest lease from one beat to the next. A block is seen from the beat that it delays. */
const BEAT = 1 / 30;
const SHORTEST_BEAT_MS = 5;
/** How often the shortest lease is looked up again, ms. */
const SURVEY_MS = 1000;

/** The holds of the watchdog, and its way to make up for lost time. */
interface WatchedHolds extends Iterable<Watched> {
  readonly size: number;
  has(hold: Watched): boolean;
  /** Renews or verifies these holds. Resolves when the outcome is known; never rejects. */
  catchUp(holds: readonly Watched[]): Promise<void>;
  /** Called when the event loop runs, again and again while anything is held. */
  onBeat(): void;
  /** The functions in which the loop stood during the last `ms`, as far as another thread has found them. */
  stackWithin(ms: number): readonly string[] | undefined;
}

/** Blocks that were noticed and not reported yet. */
interface Report {
  /** The longest block, ms. */
  delay: number;
  /** The functions in which the loop stood, if known. */
  stack: readonly string[] | undefined;
  /** The holds concerned, with the lease that each had left when the block was noticed. */
  readonly left: Map<Watched, number>;
  /** The holds that another thread has renewed meanwhile. */
  readonly renewedElsewhere: Set<Watched>;
}

/**
 * Notices that the event loop stood for more than a third of a held lease, and reports it when it is known what became
 * of the holds. A timer beats while anything is held. A beat that comes late tells how long the loop stood at least;
 * holds that end before that beat ask for it themselves.
 */
export class LoopMonitor {
  private timer: ScheduledTask | undefined;
  /** The time of the next beat, by the scheduler. */
  private due = Number.POSITIVE_INFINITY;
  /** The shortest lease since the last survey, ms. */
  private shortest = Number.POSITIVE_INFINITY;
  private surveyAt = 0;
  private report: Report | undefined;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly events: LockEvents,
    private readonly holds: WatchedHolds,
  ) {}

  /** Called when a hold begins to be watched. On the hot path, see docs/architecture.md#hot-path. */
  add({ lease: { duration } }: Watched, now: number): void {
    if (duration >= this.shortest) return;
    this.notice(now);
    this.shortest = duration;
    this.arm(now);
  }

  /** Called before a hold ends as well: a late beat would not find it. On the hot path, as above. */
  notice(now = this.scheduler.now()): void {
    const delay = now - this.due;
    if (delay <= this.shortest * SHARE) return;
    // The late beat is still to come, and has nothing to tell any more.
    this.due = now;
    this.collect(delay);
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.due = Number.POSITIVE_INFINITY;
  }

  private arm(now: number): void {
    this.stop();
    const pause = Math.max(SHORTEST_BEAT_MS, this.shortest * BEAT);
    this.due = now + pause;
    this.timer = this.scheduler.schedule(pause, () => this.beat());
  }

  private beat(): void {
    const now = this.scheduler.now();
    this.holds.onBeat();
    this.notice(now);
    this.stop();
    if (this.holds.size === 0) this.shortest = Number.POSITIVE_INFINITY;
    if (this.holds.size === 0) return;
    if (now >= this.surveyAt) this.survey(now);
    this.arm(now);
  }

  /** A short lease that has ended must not keep the beat fast. */
  private survey(now: number): void {
    this.surveyAt = now + SURVEY_MS;
    this.shortest = Number.POSITIVE_INFINITY;
    for (const { lease } of this.holds) this.shortest = Math.min(this.shortest, lease.duration);
  }

  private collect(delay: number): void {
    // A hold that was granted after the block was not concerned.
    const concerned = [...this.holds].filter(({ lease, heldFor }) => Math.min(delay, heldFor) > lease.duration * SHARE);
    if (concerned.length === 0) return;
    if (!this.report) {
      this.report = { delay, stack: undefined, left: new Map(), renewedElsewhere: new Set() };
      // Not at once: a hold that is being released or lost may be among them.
      this.scheduler.schedule(0, () => void this.tell(concerned));
    }
    const { report } = this;
    report.delay = Math.max(report.delay, delay);
    report.stack = this.holds.stackWithin(delay) ?? report.stack;
    for (const hold of concerned) {
      const { otherRenewals, remaining } = hold.lease;
      if (!report.left.has(hold)) report.left.set(hold, remaining);
      if (otherRenewals && otherRenewals.confirmedAgo < delay) report.renewedElsewhere.add(hold);
    }
  }

  private async tell(concerned: readonly Watched[]): Promise<void> {
    // Finds by the clock what the block has cost.
    await this.holds.catchUp(concerned.filter(({ lease }) => lease.isAlive));
    const { report } = this;
    if (!report) return;
    this.report = undefined;
    const locks = [...report.left].map(([hold, left]) => {
      const { name: lockName, owner, method, lease } = hold;
      const outcome = this.outcomeOf(hold, left);
      const isKept = outcome === 'renewed' && report.renewedElsewhere.has(hold);
      return {
        lockName,
        owner,
        method,
        lease: lease.duration,
        outcome: isKept ? ('renewed-in-worker' as const) : outcome,
      };
    });
    this.events.emit({ type: 'loop-blocked', delay: Math.round(report.delay), stack: report.stack, locks });
  }

  private outcomeOf(hold: Watched, left: number): BlockedLock['outcome'] {
    if (this.holds.has(hold) && hold.lease.isAlive) return hold.lease.remaining > left ? 'renewed' : 'held';
    return hold.loss === undefined ? 'released' : 'lost';
  }
}
