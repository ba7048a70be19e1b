import { type MonotonicScheduler, type ScheduledTask, Stopwatch } from '../time/scheduler.js';

/** The share of a lease allowed for clock drift. */
const DRIFT = 0.02;
/** Safety margin of every lease for clock and timer resolution, ms; a tenth of short leases, but not less than 2 ms. */
const MARGIN_MS = 20;
const LEAST_MARGIN_MS = 2;

/**
 * Why a hold ended before its owner released it: its lease ran out locally, which includes that `maxHold` was reached,
 * or the server no longer has it.
 */
export type LossReason = 'lease-over' | 'held-too-long' | 'gone';

/** A command that sets how long the server keeps a hold. */
export class LeaseCommand {
  /** The next command requested for the same hold. */
  next: LeaseCommand | undefined = undefined;
  /** Whether the outcome is known, so that the server will not execute the command any more. */
  isSettled = false;

  /**
   * @param since Started before the command was sent.
   * @param lease Milliseconds for which the server keeps the hold, from the moment it executes the command.
   */
  constructor(
    readonly since: Stopwatch,
    readonly lease: number,
  ) {}

  /** Milliseconds until the deadline that this command sets, if no other command is executed after it. */
  get remaining(): number {
    return safeDuration(this.lease) - this.since.elapsed;
  }
}

/**
 * The deadline of a holder: the earliest that some commands set. It is an instant of each clock, since no clock tells which
 * of two deadlines is the earlier one for good: with a wall clock that is set, the order of the two may change.
 */
class LeaseDeadline implements OwnDeadline {
  private monotonic: number;
  private wall: number;

  /**
   * @param since Started before the command was sent.
   * @param lease Milliseconds that it sets; later those of the command that has shortened the rest last.
   */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    since: Stopwatch,
    public lease: number,
  ) {
    const duration = safeDuration(lease);
    this.monotonic = since.startedAt + duration;
    this.wall = (since.wallStartedAt ?? Number.POSITIVE_INFINITY) + duration;
  }

  /** Milliseconds until the first of the two instants. */
  get remaining(): number {
    const monotonic = this.monotonic - this.scheduler.now();
    const wall = this.scheduler.wallNow();
    return wall === undefined ? monotonic : Math.min(monotonic, this.wall - wall);
  }

  get sent(): number {
    return this.monotonic - safeDuration(this.lease);
  }

  remainingWith(lease: number): number {
    return this.remaining - safeDuration(this.lease) + safeDuration(lease);
  }

  /** Returns whether that leaves less time than before. */
  limitTo({ since, lease }: LeaseCommand): boolean {
    const { remaining } = this;
    const other = new LeaseDeadline(this.scheduler, since, lease);
    this.monotonic = Math.min(this.monotonic, other.monotonic);
    this.wall = Math.min(this.wall, other.wall);
    if (this.remaining >= remaining) return false;
    this.lease = lease;
    return true;
  }
}

/** The deadline that the commands of this thread have set. */
export interface OwnDeadline {
  /** When the command was sent, or earlier, by the scheduler. */
  readonly sent: number;
  /** Milliseconds that it has set. */
  readonly lease: number;
  readonly remaining: number;
  /** Milliseconds until the deadline, if the server counts another lease from then. */
  remainingWith(lease: number): number;
}

/** Renewals of a hold by another thread. This one, while it stands, can be told of none: it looks up what they have set. */
export interface OtherRenewals {
  /** Whether the server has told that thread that the hold is there no more. */
  readonly isGone: boolean;
  /** Milliseconds since the last renewal that was confirmed was sent. */
  readonly confirmedAgo: number;
  /** Milliseconds for which a renewal that was sent may still take effect; 0 or less: none may. */
  readonly effectiveFor: number;
  /** Milliseconds for which the server may keep the hold because of them. */
  readonly remainingOnServer: number;
  /** Milliseconds until the deadline. */
  remainingBeside(own: OwnDeadline): number;
  /** Called with the lease of each command of this thread, before it is sent. */
  requested(lease: number): void;
  /** Called when the hold is not to be renewed any more. */
  end(): void;
}

/** Receives the loss of a lease. */
export interface LeaseHolder {
  /** Called once, when the deadline has passed or {@link Lease.lose} was called. */
  onLost(reason: LossReason): void;
}

/**
 * The part of a lease during which its holder may act, ms from before the command was sent. Never more than the
 * validity of RedLock, which subtracts 1 % and 2 ms.
 */
export const safeDuration = (lease: number): number =>
  lease * (1 - DRIFT) - Math.max(LEAST_MARGIN_MS, Math.min(MARGIN_MS, lease / 10));

/**
 * How long a hold is certainly valid, by the client's clock: from before the command was sent, less the clock drift.
 * States: alive → ending or doubtful (a timer is set for the deadline) → lost; or over, when it was released.
 *
 * A lease that a watchdog keeps extending needs no timer as long as the renewals work: then it is doubtful until a
 * command is confirmed again. One that is not renewed is ending from the start.
 */
export class Lease {
  private state: 'alive' | 'ending' | 'doubtful' | 'lost' | 'over' = 'alive';
  private timer: ScheduledTask | undefined = undefined;
  /** Time of the scheduler until which the server keeps the hold if it executed every command requested so far. */
  private latestEnd: number;
  private deadline: LeaseDeadline;
  /** The last command requested; `undefined`: the outcome of all is known. */
  private latest: LeaseCommand | undefined = undefined;
  /** The first command whose outcome is unknown; all commands before it are settled. */
  private oldest: LeaseCommand | undefined = undefined;
  /** Renewals by another thread, if there are any. */
  private others: OtherRenewals | undefined = undefined;

  /**
   * @param since Started just before the acquiring command was sent.
   * @param granted Milliseconds that the server granted.
   */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    since: Stopwatch,
    granted: number,
    private readonly holder: LeaseHolder,
  ) {
    this.latestEnd = scheduler.now() + granted;
    this.deadline = new LeaseDeadline(scheduler, since, granted);
  }

  /** Milliseconds that the server granted last. */
  get duration(): number {
    return this.deadline.lease;
  }

  /** Milliseconds until the deadline; 0 once it has passed. Reads the clock, so it does not depend on a timer. */
  get remaining(): number {
    if (this.state === 'lost' || this.state === 'over') return 0;
    const { deadline, others } = this;
    return Math.max(0, others === undefined ? deadline.remaining : others.remainingBeside(deadline));
  }

  /** Milliseconds for which the server may still keep the hold, whatever became of the commands requested so far. */
  get remainingOnServer(): number {
    return Math.max(this.latestEnd - this.scheduler.now(), this.others?.remainingOnServer ?? 0);
  }

  /** Whether the holder may still act. Detects a deadline that passed unnoticed, as behind a blocked event loop. */
  get isAlive(): boolean {
    if (this.remaining > 0) return true;
    this.lose(this.others?.isGone === true ? 'gone' : 'lease-over');
    return false;
  }

  /** Whether a renewal failed, and no command was confirmed since. */
  get isDoubtful(): boolean {
    return this.state === 'doubtful';
  }

  get otherRenewals(): OtherRenewals | undefined {
    return this.others;
  }

  /** From now on the hold is also renewed by another thread. */
  renewedByOthers(others: OtherRenewals): void {
    this.others = others;
    others.requested(this.duration);
  }

  /**
   * Must be called before each command that sets how long the server keeps the hold. The command may take effect even
   * if its reply never comes, so the deadline moves forward at once if the command grants less than is left.
   */
  request(command: LeaseCommand): void {
    this.others?.requested(command.lease);
    this.append(command);
    this.oldest ??= command;
    this.latestEnd = Math.max(this.latestEnd, command.since.startedAt + command.lease);
    this.limitTo(command);
  }

  /**
   * Called when the server executed `command`, which was sent at `sent`. Other commands may have been executed after it
   * and may have shortened the lease: those requested later, and earlier ones of unknown outcome, since a command that
   * reached the server too late is sent again. So the deadline is the earliest of all these. A lost hold stays lost.
   */
  granted(command: LeaseCommand, sent: Stopwatch): void {
    const deadline = new LeaseDeadline(this.scheduler, sent, command.lease);
    let isLater = false;
    for (let other = this.oldest; other; other = other.next) {
      if (other === command) isLater = true;
      else if (isLater || !other.isSettled) deadline.limitTo(other);
    }
    this.settle(command);
    if (!this.isAlive) return;
    this.deadline = deadline;
    if (this.isDoubtful) this.state = 'ending';
    this.onNewDeadline();
  }

  /**
   * Called when `command` got no reply and the server refuses it from now on. It may have been executed after every
   * other command requested so far, so it counts as the last of them.
   */
  unanswered(command: LeaseCommand): void {
    const last = new LeaseCommand(command.since, command.lease);
    last.isSettled = true;
    this.append(last);
    this.settle(command);
    this.limitTo(command);
  }

  /** Called when a renewal failed, or is not sent although it should be: from now on the deadline has a timer. */
  doubt(): void {
    this.setTimer('doubtful');
  }

  /** Called when no renewal will follow, or the last ones: from now on the deadline has a timer. */
  letExpire(): void {
    if (!this.isDoubtful) this.setTimer('ending');
  }

  /** Called when renewals are to follow: no timer is needed, unless the last one failed. */
  trust(): void {
    if (this.state !== 'ending') return;
    this.state = 'alive';
    this.timer?.cancel();
  }

  /** Ends the lease as lost, for a reason detected elsewhere. */
  lose(reason: LossReason): void {
    if (this.state === 'lost' || this.state === 'over') return;
    this.state = 'lost';
    this.timer?.cancel();
    this.holder.onLost(reason);
  }

  /** Called when the hold is released: it cannot be lost any more. */
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
    // A command whose outcome is known decides nothing any more, and there may be thousands of leases.
    if (!this.oldest) this.latest = undefined;
  }

  private limitTo(command: LeaseCommand): void {
    if (this.isAlive && this.deadline.limitTo(command)) this.onNewDeadline();
  }

  private onNewDeadline(): void {
    if (this.state === 'ending' || this.isDoubtful) this.arm();
  }

  private setTimer(state: 'ending' | 'doubtful'): void {
    if (!this.isAlive) return;
    this.state = state;
    this.arm();
  }

  /** A timer may fire early; the clock may not advance at all in less than a millisecond. */
  private arm(atLeast = 0): void {
    this.timer?.cancel();
    const due = (): void => {
      if (this.isAlive) this.arm(1);
    };
    this.timer = this.scheduler.schedule(Math.max(this.remaining, atLeast), due);
  }
}
