import { LockUnavailableError } from '../../errors.js';
import { Deadline, type MonotonicScheduler } from '../../time/scheduler.js';
import type { WriteBatch } from '../connection/write-batch.js';

/**
 * The most scripts of one connection that may be unanswered. All may be answered in one turn of the event loop, and what
 * their callers do then must not block it.
 */
export const MOST_IN_FLIGHT = 1000;
/** How long a request waits for its turn at most, in times of a command: the caller may have a limit, too. */
const LONGEST_WAIT = 10;

/** A request that waits for its turn. */
interface WaitingRequest {
  readonly name: string | undefined;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The time within which another script is to be answered while requests wait for their turn. */
class Stall extends Deadline {
  /** Whether one was. */
  hasProgress = false;

  constructor(
    readonly at: number,
    private readonly passed: (stall: Stall) => void,
  ) {
    super();
  }

  override onPassed(): void {
    this.passed(this);
  }
}

/**
 * Lets only so many requests of one connection be under way at once, first come, first served. Otherwise thousands of
 * callers would miss one deadline together, and together try again. The deadline of a request begins with its turn. Only
 * acquisitions wait: releases, renewals and all else that concerns a hold must not be late because of them.
 */
export class RequestTurns {
  private waiting: WaitingRequest[] = [];
  /** Whether those whose turn it is may not have sent yet. */
  private isGiving = false;
  /** While requests wait. */
  private stall: Stall | undefined;

  constructor(
    private readonly writes: Pick<WriteBatch, 'inFlight' | 'flush'>,
    private readonly scheduler: MonotonicScheduler,
    private readonly commandTimeout: number,
  ) {}

  /**
   * Resolves when a request may be sent; `undefined`: it may be now. On the hot path, see docs/architecture.md#hot-path.
   * @param name Name that the user knows the subject of the request by.
   * @throws LockUnavailableError (`not-sent`) if no script is answered for the time of a command, or its turn does not come
   *   in ten times that.
   */
  next(name: string | undefined): Promise<void> | undefined {
    if (this.writes.inFlight < MOST_IN_FLIGHT && this.waiting.length === 0 && !this.isGiving) return undefined;
    // Those before it must not wait for the end of a long turn of the event loop.
    if (this.waiting.length === 0) this.writes.flush();
    const since = this.scheduler.now();
    this.stall ??= this.beginStall(since);
    return new Promise((resolve, reject) => void this.waiting.push({ name, since, resolve, reject }));
  }

  /** Called when a script was answered, or failed. */
  answered(): void {
    if (!this.stall) return;
    this.stall.hasProgress = true;
    if (this.isGiving) return;
    this.isGiving = true;
    process.nextTick(() => this.give());
  }

  /** Gives turns until as many are in flight as may be. */
  private give(): void {
    const next = this.waiting.splice(0, Math.max(0, MOST_IN_FLIGHT - this.writes.inFlight));
    for (const { resolve } of next) resolve();
    if (this.waiting.length === 0) this.endStall();
    // After all promises have settled: by then they have sent, or have changed their minds.
    if (next.length > 0) queueMicrotask(() => process.nextTick(() => this.give()));
    else this.isGiving = false;
  }

  private beginStall(now: number): Stall {
    const stall = new Stall(now + this.commandTimeout, ({ hasProgress }) => this.onStallOver(hasProgress));
    this.scheduler.deadlines.add(stall);
    return stall;
  }

  private onStallOver(hasProgress: boolean): void {
    const { scheduler, commandTimeout } = this;
    const now = scheduler.now();
    const longest = hasProgress ? LONGEST_WAIT * commandTimeout : 0;
    const firstToKeep = this.waiting.findIndex(({ since }) => since > now - longest);
    const givenUp = this.waiting.splice(0, firstToKeep < 0 ? this.waiting.length : firstToKeep);
    this.stall = this.waiting.length > 0 ? this.beginStall(now) : undefined;
    const why = hasProgress
      ? `The request was not sent: its turn has not come within ${longest} ms`
      : `The request was not sent: Redis has answered none of ${MOST_IN_FLIGHT} earlier ones for ${commandTimeout} ms`;
    for (const { name, reject } of givenUp)
      reject(new LockUnavailableError(why, 'not-sent', false, { lockName: name }));
  }

  private endStall(): void {
    if (this.stall) this.scheduler.deadlines.delete(this.stall);
    this.stall = undefined;
  }
}
