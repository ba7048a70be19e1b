import type { ScheduledTask } from '../time/scheduler.js';
import type { SteadyScheduler } from '../time/steady-scheduler.js';
import { Stopwatch } from '../time/stopwatch.js';

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

/** Whose lease it is. */
export interface LeaseHolder {
  /** Called once, when the deadline has passed or {@link Lease.lose} was called. */
  onLost(reason: LossReason): void;
}

/**
 * The part of a lease during which its holder may act, ms from before the command left. Never more than what Redlock
 * calls its validity, which takes 1 % and 2 ms off.
 */
export const safeShare = (lease: number): number =>
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

  /**
   * @param since Started just before the acquiring command left.
   * @param granted Milliseconds the server granted.
   */
  constructor(
    private readonly scheduler: SteadyScheduler,
    private since: Stopwatch,
    granted: number,
    private readonly holder: LeaseHolder,
  ) {
    this.length = safeShare(granted);
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

  /** The server lets the hold last for `granted` ms from `sent` on, or longer. A hold that was lost stays lost. */
  renewed(sent: Stopwatch, granted: number): void {
    if (!this.isAlive || safeShare(granted) - sent.elapsed <= this.remaining) return;
    this.begin(sent, granted);
  }

  /** The server was told to end the hold `granted` ms from now, if not sooner. */
  shorten(granted: number): void {
    if (!this.isAlive || safeShare(granted) >= this.remaining) return;
    this.begin(new Stopwatch(this.scheduler), granted);
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

  private begin(since: Stopwatch, granted: number): void {
    this.since = since;
    this.length = safeShare(granted);
    if (this.state === 'doubtful') this.arm();
  }

  /** A timer may fire early; less than a millisecond may be too little to move the clock at all. */
  private arm(atLeast = 0): void {
    this.timer?.cancel();
    this.timer = this.scheduler.schedule(Math.max(this.remaining, atLeast), () => {
      if (this.isAlive) this.arm(1);
    });
  }
}
