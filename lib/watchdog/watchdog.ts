import { InFlight } from '../concurrency.js';
import type { LockEvents } from '../events/lock-events.js';
import { runOutsideContexts } from '../context/owner-context.js';
import { type MonotonicScheduler, Stopwatch } from '../time/scheduler.js';
import { LeaseCommand } from './lease.js';
import { LoopMonitor } from './loop-monitor.js';
import { BATCH, isWorthRenewing, RenewalSchedules, retryPause, RoundTimer, type Watched } from './renewal-schedules.js';

/** Another thread, which renews holds while the event loop of this one stands. */
export interface RenewingThread {
  /** Called when a hold begins to be watched, or lasts differently from now on. */
  keep(hold: Watched): void;
  /** Called again and again while anything is held. */
  beat(): void;
  /** The functions in which this thread stood during the last `ms`, innermost first, if the other one has found them. */
  stackWithin(ms: number): readonly string[] | undefined;
}

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
 * Renews every watched hold, at the latest a third of its renewed lease after the last renewal, in batches spread over
 * that time, on one timer. Holds with their own lease are verified instead, so that a lost one is detected as soon. The
 * next batch is scheduled before the current one is sent, so a hanging batch delays no other. Failed batches are retried
 * several times before the next renewal is due, until the local deadline of their holds. No errors are thrown: a hold
 * that cannot be kept is lost, and its signal aborts.
 */
export class Watchdog {
  private readonly watched: RenewalSchedules;
  private readonly loop: LoopMonitor;
  /** Holds with a renewal in flight, and the batch that it is part of. */
  private readonly renewing = new Map<Watched, InFlight>();
  private readonly rounds: RoundTimer;
  private stopped = false;
  /** Number of calls of {@link checkAll}. */
  private returns = 0;

  /**
   * @param timeout Milliseconds that each renewal grants, unless a hold asks for others (Redisson:
   *   `lockWatchdogTimeout`).
   * @param thread Absent: nothing is renewed while the event loop stands.
   */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly events: LockEvents,
    readonly timeout: number,
    private readonly thread?: RenewingThread,
  ) {
    const watched = new RenewalSchedules(scheduler, timeout, BATCH);
    this.watched = watched;
    this.rounds = new RoundTimer(scheduler, () => this.round());
    this.loop = new LoopMonitor(scheduler, events, {
      [Symbol.iterator]: () => watched[Symbol.iterator](),
      get size() {
        return watched.size;
      },
      has: (hold) => this.watches(hold),
      catchUp: (holds) => this.catchUp(holds),
      onBeat: () => thread?.beat(),
      stackWithin: (ms) => thread?.stackWithin(ms),
    });
  }

  /**
   * Milliseconds by which the last round of renewals was sent later than planned, or by which the next one is overdue; 0
   * if nothing is held. The event loop, or the number of holds, delays it; leases end if it exceeds two thirds of them.
   */
  get lag(): number {
    return this.watched.size > 0 ? this.rounds.lag : 0;
  }

  /** Starts looking after `hold`, or goes on with the lease that it is renewed with now. */
  watch(hold: Watched): void {
    if (this.stopped) {
      hold.lease.doubt();
      return;
    }
    // Before all else: the caller may block the event loop in its next line.
    this.thread?.keep(hold);
    if (this.watched.isInPlace(hold)) return;
    this.watched.delete(hold);
    const now = this.scheduler.now();
    // With one batch more per period, the next is due sooner.
    const isSooner = this.watched.add(hold, now);
    this.loop.add(hold, now);
    if (isSooner) this.arm(now);
  }

  /** Stops looking after `hold`, which was released. */
  unwatch(hold: Watched): void {
    if (!hold.scheduleEntry) return;
    hold.lease.otherRenewals?.end();
    this.loop.notice();
    this.watched.delete(hold);
  }

  private watches(hold: Watched): boolean {
    return hold.scheduleEntry !== undefined;
  }

  /**
   * Called when a command that sets the lease of `hold` failed. A hold that is renewed is then renewed soon: that lease may
   * be a shorter one, or the first that is to be renewed.
   */
  retry(hold: Watched): void {
    if (!hold.isRenewed || !this.watches(hold)) return;
    this.watch(hold);
    // Otherwise a retry is on its way.
    if (hold.lease.isDoubtful) return;
    hold.lease.doubt();
    this.scheduler.schedule(retryPause([hold], hold.renewedLease), () => this.renewDue([hold]));
  }

  /** Whether a renewal of `hold` is in flight. */
  isRenewing(hold: Watched): boolean {
    return this.renewing.has(hold) || (hold.lease.otherRenewals?.effectiveFor ?? 0) > 0;
  }

  /** Resolves when no renewal of `hold` is in flight. For a hold that is not watched any more: none follows. */
  whenRenewed(hold: Watched): Promise<void> {
    const own = this.renewing.get(hold)?.settled() ?? Promise.resolve();
    const others = hold.lease.otherRenewals?.effectiveFor ?? 0;
    return others > 0 ? own.then(() => this.scheduler.pause(others)) : own;
  }

  /** Stops all renewals; the holds expire with their leases. */
  stop(): void {
    this.stopped = true;
    this.loop.stop();
    this.rounds.stop();
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

  private arm(now = this.scheduler.now()): void {
    this.rounds.arm(this.watched.pause(now), now);
  }

  private round(): void {
    if (this.watched.size === 0) return;
    const due = this.watched.takeDue();
    this.arm();
    for (const { holds, period } of due) {
      for (const hold of holds) hold.checkAge();
      this.check(holds, period);
    }
  }

  /** Each batch has its own event-loop turn: ten thousand holds in one would block the event loop for too long. */
  private checkFrom(holds: readonly Watched[], start: number): void {
    const end = start + BATCH;
    this.check(holds.slice(start, end), 0);
    if (end < holds.length) this.scheduler.schedule(0, () => this.checkFrom(holds, end));
  }

  /** Renews and verifies holds after the event loop stood. Resolves when the outcome is known; never rejects. */
  private async catchUp(holds: readonly Watched[]): Promise<void> {
    for (let start = 0; start < holds.length; start += BATCH) {
      const batch = holds.slice(start, start + BATCH);
      this.renewDue(batch);
      await Promise.all(batch.map((hold) => (hold.isRenewed ? this.whenRenewed(hold) : hold.verify())));
    }
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
    return isFree && hold.isRenewed && hold.lease.isAlive && isWorthRenewing(hold, hold.renewedLease);
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
    this.events.emit({
      type: 'renewal-failed',
      holds: holds.length,
      lockNames,
      locks: holds.map(({ eventFields }) => eventFields),
      error,
    });
    for (const { hold, command } of renewals) {
      if (!this.watches(hold)) continue;
      hold.lease.unanswered(command);
      hold.lease.doubt();
    }
    // The time spent waiting for a reply counts as part of the pause.
    const waited = this.scheduler.now() - at;
    const timeout = Math.min(...holds.map(({ renewedLease }) => renewedLease));
    const pause = returns === this.returns ? retryPause(holds, timeout) - waited : 0;
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
    if (hold.isEnding) hold.lease.letExpire();
    else hold.lease.trust();
    hold.onRenewed(command.lease);
  }
}
