import type { LockOperations } from '../backend/lock-operations.js';
import type { LockEvents } from '../events/lock-events.js';
import { runOutsideRegions } from '../context/owner-context.js';
import type { OwnerId } from '../context/ids.js';
import type { ScheduledTask } from '../time/scheduler.js';
import { type MonotonicScheduler, Stopwatch } from '../time/monotonic-scheduler.js';
import { type Lease, LeaseCommand } from './lease.js';
import { RenewalSchedule, type ScheduleEntry } from './renewal-schedule.js';

/** A hold that is looked after until it is released or lost, or until the end of its own lease. */
export interface Watched {
  /** Kept by the watchdog. */
  onRota?: ScheduleEntry<Watched> | undefined;
  /** Where it is renewed, together with others of its kind. */
  readonly operations: Pick<LockOperations, 'renew'>;
  readonly name: string;
  readonly owner: OwnerId;
  readonly lease: Lease;
  /** Milliseconds that it needs from now on. */
  readonly neededLease: number;
  /** Whether it ends by itself before long: its deadline keeps its timer then, however well the renewals work. */
  readonly isEnding: boolean;
  /** Whether it is kept alive; otherwise it is only looked after. */
  readonly isRenewed: boolean;
  /** Whether the server is being told something else about it, which lets it last just as well. */
  readonly isBusy: boolean;
  /** Finds out whether the server still has it, and is lost where not. Never rejects. */
  verify(): Promise<void>;
  /** Called in every round: says so where it has been held for too long. */
  checkAge(): void;
}

/** Renewed in one command, or asked after in one turn: large enough that ten thousand holds cost few, small enough to keep the server free. */
const BATCH = 500;
/** The share of the timeout after which a failed renewal is tried again, counted from when it was sent, and after which the next is due. */
const PERIOD = 1 / 3;
const RETRY = 1 / 15;
/** Sooner where a hold has little left: after this share of it, but never after less than this share of the timeout. */
const HASTE = 1 / 4;
const SHORTEST_RETRY = 1 / 150;
/** The share of the timeout that a lease may lack of what its hold needs; clocks may drift apart in less. */
const LACKING = 1 / 6;

/** The renewal of one hold, as part of a batch. */
interface Renewing {
  readonly hold: Watched;
  readonly command: LeaseCommand;
}

/** When a batch was sent: after how many returns of the server, and at which time of the scheduler. */
interface Start {
  readonly returns: number;
  readonly at: number;
}

/** What ends so many milliseconds from now is not renewed any more. */
export const lastRenewalWithin = (timeout: number): number => timeout * (1 - PERIOD);

/**
 * Renews every hold it is told to watch, a third of the timeout after the last time at the latest, in batches that are
 * spread over that time, on one timer; holds with a lease of their own are asked after, so that one that is gone is
 * noticed as soon. The next batch is armed before the current one works, so that one that hangs delays no other; failed
 * batches are tried again, several times before they are due again, until the local deadline of their holds. Nothing is
 * thrown: a hold that cannot be kept is lost, and its signal says so.
 */
export class Watchdog {
  private readonly watched: RenewalSchedule<Watched>;
  private readonly renewing = new Set<Watched>();
  private timer: ScheduledTask | undefined;
  /** When the timer fires, by the scheduler. */
  private due = 0;
  private stopped = false;
  /** How often {@link checkAll} was called. */
  private returns = 0;

  /** @param timeout Milliseconds each renewal grants (Redisson: `lockWatchdogTimeout`). */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly events: LockEvents,
    readonly timeout: number,
  ) {
    this.watched = new RenewalSchedule(scheduler, timeout * PERIOD, BATCH);
  }

  /** Looks after `hold` from now on. */
  watch(hold: Watched): void {
    if (this.stopped) {
      hold.lease.doubt();
      return;
    }
    if (this.watches(hold)) return;
    const { shares } = this.watched;
    hold.onRota = this.watched.add(hold);
    // In one share more, the next is due sooner.
    if (this.watched.shares > shares) this.arm();
  }

  /** Lets `hold` be: it was released. */
  unwatch(hold: Watched): void {
    if (hold.onRota) this.watched.delete(hold.onRota);
    hold.onRota = undefined;
  }

  private watches(hold: Watched): boolean {
    return hold.onRota !== undefined;
  }

  /** Whether the server is just being asked to renew it. */
  isRenewing(hold: Watched): boolean {
    return this.renewing.has(hold);
  }

  /** Renews nothing any more; what is held runs out by its lease. */
  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
    this.timer = undefined;
    for (const hold of [...this.watched]) {
      hold.lease.doubt();
      this.unwatch(hold);
    }
  }

  /** Renews and asks after everything at once: the server was away, or is another one. */
  checkAll(): void {
    this.returns += 1;
    if (this.watched.size > 0) runOutsideRegions(() => this.checkFrom([...this.watched], 0));
  }

  /** A timer that is due sooner stays, also when nothing is held any more: locks come and go faster than timers do. */
  private arm(): void {
    const { pause } = this.watched;
    const due = this.scheduler.now() + pause;
    if (this.timer && this.due <= due) return;
    this.timer?.cancel();
    this.due = due;
    this.timer = runOutsideRegions(() => this.scheduler.schedule(pause, () => this.round()));
  }

  private round(): void {
    this.timer = undefined;
    if (this.watched.size === 0) return;
    if (this.watched.pause > 0) {
      this.arm();
      return;
    }
    const holds = this.watched.take();
    this.arm();
    for (const hold of holds) hold.checkAge();
    this.check(holds, this.timeout * PERIOD);
  }

  /** Batch after batch, each in a turn of its own: ten thousand holds in one would keep the event loop for too long. */
  private checkFrom(holds: readonly Watched[], start: number): void {
    const end = start + BATCH;
    this.check(holds.slice(start, end), 0);
    if (end < holds.length) this.scheduler.schedule(0, () => this.checkFrom(holds, end));
  }

  /** @param least Milliseconds of its lease that a hold must have left to be asked after. */
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
    for (const [transitions, batch] of due) void this.renew(transitions, batch);
  }

  private isDue(hold: Watched): boolean {
    const isFree = this.watches(hold) && !this.renewing.has(hold) && !hold.isBusy;
    return isFree && hold.isRenewed && hold.lease.isAlive && this.isWorthRenewing(hold);
  }

  /** A lease that ends before the round after the next is left to itself, unless the last renewal failed. */
  private isWorthRenewing({ neededLease, lease }: Watched): boolean {
    return neededLease > lastRenewalWithin(this.timeout) || neededLease - lease.remaining > this.timeout * LACKING;
  }

  private async renew(transitions: Watched['operations'], holds: readonly Watched[]): Promise<void> {
    const since = new Stopwatch(this.scheduler);
    const attempts = holds.map((hold) => ({ hold, command: new LeaseCommand(since, hold.neededLease) }));
    for (const { hold, command } of attempts) {
      this.renewing.add(hold);
      hold.lease.request(command);
    }
    const start = { returns: this.returns, at: since.startedAt };
    try {
      const renewals = attempts.map(({ hold: { name, owner }, command: { lease } }) => ({ name, owner, lease }));
      const { sent, held, failure } = await transitions.renew(renewals);
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
    }
  }

  /** Tries again after a pause; at once if the server has come back since the renewals were sent. */
  private failed(renewals: readonly Renewing[], error: unknown, { returns, at }: Start): void {
    const holds = renewals.map(({ hold }) => hold);
    const lockNames = holds.map(({ name }) => name);
    this.events.emit({ type: 'renewal-failed', holds: holds.length, lockNames, error });
    for (const { hold, command } of renewals) {
      if (!this.watches(hold)) continue;
      hold.lease.unanswered(command);
      hold.lease.doubt();
    }
    // What was waited for an answer in vain was pause enough.
    const waited = this.scheduler.now() - at;
    const pause = returns === this.returns ? this.retryPause(holds) - waited : 0;
    this.scheduler.schedule(pause, () => this.renewDue(holds));
  }

  /** A renewal that failed late, such as behind a blocked event loop, leaves less than the usual pause. */
  private retryPause(holds: readonly Watched[]): number {
    const left = Math.min(...holds.map(({ lease }) => lease.remaining).filter((ms) => ms > 0));
    const pause = Math.min(this.timeout * RETRY, left * HASTE);
    return Math.max(this.timeout * SHORTEST_RETRY, pause) * (0.5 + Math.random());
  }

  private learn({ hold, command }: Renewing, isHeld: boolean, sent: Stopwatch): void {
    // A hold that was released meanwhile may well be missing on the server.
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
