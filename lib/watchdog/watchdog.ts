import type { LockOperations } from '../backend/lock-operations.js';
import { InFlight } from '../concurrency/in-flight.js';
import type { LockEvents } from '../events/lock-events.js';
import { runOutsideContexts } from '../context/owner-context.js';
import type { OwnerId } from '../context/owner-ids.js';
import type { ScheduledTask } from '../time/scheduler.js';
import { type MonotonicScheduler, Stopwatch } from '../time/monotonic-scheduler.js';
import { type Lease, LeaseCommand } from './lease.js';
import { RenewalSchedule, type ScheduleEntry } from './renewal-schedule.js';
import { isWorthRenewing, renewalPeriod, retryPause } from './renewal-times.js';

/** A hold that the watchdog looks after until it is released or lost, or until its own lease ends. */
export interface Watched {
  /** Managed by the watchdog. */
  scheduleEntry?: ScheduleEntry<Watched> | undefined;
  /** Operations that renew it, in one batch with other holds of the same kind. */
  readonly operations: Pick<LockOperations, 'renew'>;
  readonly name: string;
  readonly owner: OwnerId;
  readonly lease: Lease;
  /** The lease that it needs from now on, ms. */
  readonly neededLease: number;
  /** Whether it will end by itself soon: its deadline then keeps its timer even while renewals work. */
  readonly isEnding: boolean;
  /** Whether it is renewed; otherwise it is only verified. */
  readonly isRenewed: boolean;
  /** Whether another command for it is in flight, which extends its lease as well. */
  readonly isBusy: boolean;
  /** Asks the server whether it still has the lock; if not, the hold is lost. Never rejects. */
  verify(): Promise<void>;
  /** Called in every round: emits an event if it has been held for too long. */
  checkAge(): void;
}

/**
 * Holds renewed by one command, or verified in one event-loop turn: few commands for ten thousand holds, each short
 * enough to keep the server free.
 */
const BATCH = 500;

/** The renewal of one hold, as part of a batch. */
interface Renewing {
  readonly hold: Watched;
  readonly command: LeaseCommand;
}

/** When a batch was sent: the number of server returns before it, and the time of the scheduler. */
interface Start {
  readonly returns: number;
  readonly at: number;
}

/**
 * Renews every watched hold, at the latest a third of the timeout after the last renewal, in batches spread over that
 * time, on one timer. Holds with their own lease are verified instead, so that a lost one is detected as soon. The next
 * batch is scheduled before the current one is sent, so a hanging batch delays no other. Failed batches are retried
 * several times before the next renewal is due, until the local deadline of their holds. No errors are thrown: a hold
 * that cannot be kept is lost, and its signal aborts.
 */
export class Watchdog {
  private readonly watched: RenewalSchedule<Watched>;
  /** Holds with a renewal in flight, and the batch that it is part of. */
  private readonly renewing = new Map<Watched, InFlight>();
  private timer: ScheduledTask | undefined;
  /** The time at which the timer fires, by the scheduler. */
  private due = 0;
  private stopped = false;
  /** Number of calls of {@link checkAll}. */
  private returns = 0;

  /** @param timeout Milliseconds that each renewal grants (Redisson: `lockWatchdogTimeout`). */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly events: LockEvents,
    readonly timeout: number,
  ) {
    this.watched = new RenewalSchedule(scheduler, renewalPeriod(timeout), BATCH);
  }

  /** Starts looking after `hold`. */
  watch(hold: Watched): void {
    if (this.stopped) {
      hold.lease.doubt();
      return;
    }
    if (this.watches(hold)) return;
    const { shares } = this.watched;
    const now = this.scheduler.now();
    hold.scheduleEntry = this.watched.add(hold, now);
    // With one batch more per period, the next is due sooner.
    if (this.watched.shares > shares) this.arm(now);
  }

  /** Stops looking after `hold`, which was released. */
  unwatch(hold: Watched): void {
    if (hold.scheduleEntry) this.watched.delete(hold.scheduleEntry);
    hold.scheduleEntry = undefined;
  }

  private watches(hold: Watched): boolean {
    return hold.scheduleEntry !== undefined;
  }

  /** Whether a renewal of `hold` is in flight. */
  isRenewing(hold: Watched): boolean {
    return this.renewing.has(hold);
  }

  /** Resolves when no renewal of `hold` is in flight. For a hold that is not watched any more: none follows. */
  whenRenewed(hold: Watched): Promise<void> {
    return this.renewing.get(hold)?.settled() ?? Promise.resolve();
  }

  /** Stops all renewals; the holds expire with their leases. */
  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
    this.timer = undefined;
    for (const hold of [...this.watched]) {
      hold.lease.doubt();
      this.unwatch(hold);
    }
  }

  /** Renews and verifies all holds at once: the server was unreachable, or has been replaced. */
  checkAll(): void {
    this.returns += 1;
    if (this.watched.size > 0) runOutsideContexts(() => this.checkFrom([...this.watched], 0));
  }

  /** Keeps a timer that fires sooner, even without any holds: locks come and go faster than timers. */
  private arm(now = this.scheduler.now()): void {
    const pause = this.watched.pause(now);
    const due = now + pause;
    if (this.timer && this.due <= due) return;
    this.timer?.cancel();
    this.due = due;
    this.timer = runOutsideContexts(() => this.scheduler.schedule(pause, () => this.round()));
  }

  private round(): void {
    this.timer = undefined;
    if (this.watched.size === 0) return;
    if (this.watched.pause() > 0) {
      this.arm();
      return;
    }
    const holds = this.watched.take();
    this.arm();
    for (const hold of holds) hold.checkAge();
    this.check(holds, renewalPeriod(this.timeout));
  }

  /** Each batch has its own event-loop turn: ten thousand holds in one would block the event loop for too long. */
  private checkFrom(holds: readonly Watched[], start: number): void {
    const end = start + BATCH;
    this.check(holds.slice(start, end), 0);
    if (end < holds.length) this.scheduler.schedule(0, () => this.checkFrom(holds, end));
  }

  /** @param least Minimum lease that a hold must have left to be verified, ms. */
  private check(holds: readonly Watched[], least: number): void {
    this.renewDue(holds);
    for (const hold of holds) {
      if (this.watches(hold) && !this.isDue(hold) && !this.renewing.has(hold) && hold.lease.remaining > least) {
        void hold.verify();
      }
    }
  }

  private renewDue(holds: readonly Watched[]): void {
    const due = new Map<Watched['operations'], Watched[]>();
    for (const hold of holds) {
      if (!this.isDue(hold)) continue;
      const batch = due.get(hold.operations);
      if (batch) batch.push(hold);
      else due.set(hold.operations, [hold]);
    }
    for (const [operations, batch] of due) void this.renew(operations, batch);
  }

  private isDue(hold: Watched): boolean {
    const isFree = this.watches(hold) && !this.renewing.has(hold) && !hold.isBusy;
    return isFree && hold.isRenewed && hold.lease.isAlive && isWorthRenewing(hold, this.timeout);
  }

  private async renew(operations: Watched['operations'], holds: readonly Watched[]): Promise<void> {
    const since = new Stopwatch(this.scheduler);
    const attempts = holds.map((hold) => ({ hold, command: new LeaseCommand(since, hold.neededLease) }));
    const batch = new InFlight();
    batch.enter();
    for (const { hold, command } of attempts) {
      this.renewing.set(hold, batch);
      hold.lease.request(command);
    }
    const start = { returns: this.returns, at: since.startedAt };
    try {
      const renewals = attempts.map(({ hold: { name, owner }, command: { lease } }) => ({ name, owner, lease }));
      const { sent, held, failure } = await operations.renew(renewals);
      attempts.forEach((attempt, index) => {
        const isHeld = held[index];
        if (isHeld !== undefined) this.learn(attempt, isHeld, sent);
      });
      const open = attempts.filter((_, index) => held[index] === undefined);
      if (open.length > 0) this.failed(open, failure, start);
    } catch (error) {
      this.failed(attempts, error, start);
    } finally {
      for (const hold of holds) this.renewing.delete(hold);
      batch.leave();
    }
  }

  /** Retries after a pause, or at once if the server has returned since the renewals were sent. */
  private failed(renewals: readonly Renewing[], error: unknown, { returns, at }: Start): void {
    const holds = renewals.map(({ hold }) => hold);
    const lockNames = holds.map(({ name }) => name);
    this.events.emit({ type: 'renewal-failed', holds: holds.length, lockNames, error });
    for (const { hold, command } of renewals) {
      if (!this.watches(hold)) continue;
      hold.lease.unanswered(command);
      hold.lease.doubt();
    }
    // The time spent waiting for a reply counts as part of the pause.
    const waited = this.scheduler.now() - at;
    const pause = returns === this.returns ? retryPause(holds, this.timeout) - waited : 0;
    this.scheduler.schedule(pause, () => this.renewDue(holds));
  }

  private learn({ hold, command }: Renewing, isHeld: boolean, sent: Stopwatch): void {
    // A hold that was released meanwhile may be missing on the server.
    if (!this.watches(hold)) return;
    if (!isHeld) {
      this.unwatch(hold);
      hold.lease.lose('gone');
      return;
    }
    hold.lease.granted(command, sent);
    if (hold.isEnding) hold.lease.doubt();
    else hold.lease.trust();
  }
}
