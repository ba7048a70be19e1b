import type { MonotonicScheduler } from '../../time/scheduler.js';
import { type OtherRenewals, type OwnDeadline, safeDuration } from '../lease.js';
import { sharedNow, type SharedTimes } from './shared-times.js';

/**
 * Renewals of a hold by the worker, as they count for its lease. The order in which the server executes commands of two
 * connections is unknown, so each deadline counts with the shortest lease that any other command may have set after it:
 * one that is executed later than `sent` sets an end later than `sent` and its own lease.
 */
export class WorkerRenewals implements OtherRenewals {
  /** The shortest lease that the main thread has asked for, ms. */
  private shortest = Number.POSITIVE_INFINITY;

  constructor(
    readonly times: SharedTimes,
    private readonly scheduler: MonotonicScheduler,
    private readonly now: () => number = sharedNow,
  ) {}

  get isGone(): boolean {
    return this.times.isGone;
  }

  get effectiveFor(): number {
    return this.times.effective - this.now();
  }

  get remainingOnServer(): number {
    return this.times.latest - this.now();
  }

  get confirmedAgo(): number {
    return this.now() - this.times.sent;
  }

  end(): void {
    this.times.end();
  }

  requested(lease: number): void {
    this.shortest = Math.min(this.shortest, lease);
  }

  remainingBeside(own: OwnDeadline): number {
    return Math.max(this.remainingOf(own), this.confirmedRemaining);
  }

  /** Milliseconds until the deadline of the main thread's commands, which a renewal may have followed. */
  private remainingOf(own: OwnDeadline): number {
    const { effective, shortest } = this.times;
    const sent = this.now() - (this.scheduler.now() - own.sent);
    return effective > sent && shortest < own.lease ? own.remainingWith(shortest) : own.remaining;
  }

  /** Milliseconds until the deadline of the last renewal that was confirmed. */
  private get confirmedRemaining(): number {
    const { times } = this;
    const { sent, wall, shortest } = times;
    if (sent === 0 || times.isGone) return Number.NEGATIVE_INFINITY;
    const duration = safeDuration(Math.min(shortest, this.shortest));
    const wallNow = this.scheduler.wallNow() ?? Number.NEGATIVE_INFINITY;
    return Math.min(sent + duration - this.now(), wall + duration - wallNow);
  }
}
