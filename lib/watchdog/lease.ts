import { runOutsideRegions } from '../context/owner-context.js';
import type { ScheduledTask } from '../time/scheduler.js';
import { type MonotonicScheduler, Stopwatch } from '../time/monotonic-scheduler.js';
/** The share of a lease that clocks may drift apart in. */
const DRIFT = 0.02;
/** Taken off every lease for the grain of clocks and timers, ms; a tenth where the lease is very short, but some. */
const MARGIN_MS = 20;
const LEAST_MARGIN_MS = 2;

/**
 * How a hold ends before its owner gives it back: its time passed here, also because it was as long as is allowed, or it
 * is not there any more on the server.
 */
export type LossReason = 'lease-over' | 'held-too-long' | 'gone';

/** A command that sets how long the server keeps a hold. */
export class LeaseCommand {
  /** The command requested next for the same hold. */
  next: LeaseCommand | undefined;
  /** Whether it is known what became of it, so that the server will not execute it any more. */
  isSettled = false;

  /**
   * @param since Started before the command left.
   * @param lease Milliseconds for which the server keeps the hold from when it executes the command.
   */
  constructor(
    readonly since: Stopwatch,
    readonly lease: number,
  ) {}

  /** Milliseconds until the deadline that this command gives the hold, if no other command was executed after it. */
  get remaining(): number {
    return safeDuration(this.lease) - this.since.elapsed;
  }
}

/** Whose lease it is. */
export interface LeaseHolder {
  /** Called once, when the deadline has passed or {@link Lease.lose} was called. */
  onLost(reason: LossReason): void;
}

/**
 * The part of a lease during which its holder may act, ms from before the command left. Never more than what Redlock
 * calls its validity, which takes 1 % and 2 ms off.
 */
export const safeDuration = (lease: number): number =>
  lease * (1 - DRIFT) - Math.max(LEAST_MARGIN_MS, Math.min(MARGIN_MS, lease / 10));

/**
 * How long a hold is certainly ours, by the client's clock: from before the command was sent, less what clocks may
 * drift. States: alive → doubtful (a timer is set for the deadline) → lost; or over, when it was given back.
 *
 * A lease that a watchdog keeps moving needs no timer as long as the renewals work; one that nobody renews is doubtful
 * from the start.
 */
export class Lease {
  private state: 'alive' | 'doubtful' | 'lost' | 'over' = 'alive';
  private timer: ScheduledTask | undefined;
  private length: number;
  private latest: LeaseCommand | undefined;
  /** The first command requested of which it is not known yet what became of it; none that is settled precedes it. */
  private oldest: LeaseCommand | undefined;

  /**
   * @param since Started just before the acquiring command left.
   * @param granted Milliseconds the server granted.
   */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private since: Stopwatch,
    granted: number,
    private readonly holder: LeaseHolder,
  ) {
    this.length = safeDuration(granted);
  }

  /** Milliseconds until the deadline; 0 when it has passed. Compares the clock, so no timer has to have run. */
  get remaining(): number {
    if (this.state === 'lost' || this.state === 'over') return 0;
    return Math.max(0, this.length - this.since.elapsed);
  }

  /** Whether the holder may still act. Notices a deadline that passed unseen, such as behind a blocked event loop. */
  get isAlive(): boolean {
    if (this.remaining > 0) return true;
    this.lose('lease-over');
    return false;
  }

  /**
   * Must be called before each command that sets how long the server keeps the hold. The command may take effect even if
   * its reply never comes, so the deadline moves forward at once if the command grants less than is left.
   */
  request(command: LeaseCommand): void {
    this.append(command);
    this.oldest ??= command;
    this.limitTo(command);
  }

  /**
   * The server executed `command`, which was sent at `sent`. Other commands may have been executed after it and may have
   * shortened the lease: those that were requested later, and also earlier ones of which nothing is known, since a command
   * that reached the server too late is sent once more. So the deadline is the earliest of all these. A hold that was lost
   * stays lost.
   */
  granted(command: LeaseCommand, sent: Stopwatch): void {
    let earliest = new LeaseCommand(sent, command.lease);
    let isLater = false;
    for (let other = this.oldest; other; other = other.next) {
      if (other === command) isLater = true;
      else if ((isLater || !other.isSettled) && other.remaining < earliest.remaining) earliest = other;
    }
    this.settle(command);
    if (this.isAlive) this.begin(earliest);
  }

  /**
   * No reply to `command` came, and the server refuses it from now on. It may have been executed after every command that
   * has been requested so far, so it counts as the last of them.
   */
  unanswered(command: LeaseCommand): void {
    const last = new LeaseCommand(command.since, command.lease);
    last.isSettled = true;
    this.append(last);
    this.settle(command);
    this.limitTo(command);
  }

  /** A renewal failed, or none is to come: from now on the deadline has a timer. */
  doubt(): void {
    if (!this.isAlive) return;
    this.state = 'doubtful';
    this.arm();
  }

  /** Renewals work again: no timer needed. */
  trust(): void {
    if (this.state !== 'doubtful') return;
    this.state = 'alive';
    this.timer?.cancel();
  }

  /** The hold is gone, for a reason learned elsewhere. */
  lose(reason: LossReason): void {
    if (this.state === 'lost' || this.state === 'over') return;
    this.state = 'lost';
    this.timer?.cancel();
    this.holder.onLost(reason);
  }

  /** The hold was given back: nothing is lost any more. */
  end(): void {
    if (this.state !== 'lost') this.state = 'over';
    this.timer?.cancel();
  }

  private append(command: LeaseCommand): void {
    if (this.latest) this.latest.next = command;
    this.latest = command;
  }

  private settle(command: LeaseCommand): void {
    command.isSettled = true;
    while (this.oldest?.isSettled) this.oldest = this.oldest.next;
  }

  private limitTo(command: LeaseCommand): void {
    if (this.isAlive && command.remaining < this.remaining) this.begin(command);
  }

  private begin({ since, lease }: LeaseCommand): void {
    this.since = since;
    this.length = safeDuration(lease);
    if (this.state === 'doubtful') this.arm();
  }

  /** A timer may fire early; less than a millisecond may be too little to move the clock at all. */
  private arm(atLeast = 0): void {
    this.timer?.cancel();
    const due = (): void => {
      if (this.isAlive) this.arm(1);
    };
    // A timer set inside a region would keep that region reachable and run listeners as its owner.
    this.timer = runOutsideRegions(() => this.scheduler.schedule(Math.max(this.remaining, atLeast), due));
  }
}
