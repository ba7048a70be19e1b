import type { OfLock } from '../events/life-cycle-events.js';
import { Deadline, type MonotonicScheduler } from '../time/scheduler.js';
import type { GuardedWait, WaitGuard } from '../time/wait-limit.js';
import type { BlockedHold, BlockedWait, HeldLock, WantedLock } from './blocked-hold.js';

/** Waits are watched from this time on, ms: nearly all are over by then, and have cost nothing. */
const WATCHED_AFTER_MS = 1000;

/** Shared by all acquisitions, of which hardly any has records. */
const NO_RECORDS: ReadonlyMap<string, string> = new Map();

/** The lock that a caller waits for, and the begin of its wait. */
export interface NestedAcquisition {
  readonly lock: OfLock;
  readonly wants: WantedLock;
  /** Time of the scheduler. */
  readonly startedAt: number;
  /** The locks that the caller holds now. */
  held(): readonly HeldLock[];
}

interface Watch {
  readonly scheduler: MonotonicScheduler;
  add(wait: WatchedWait): void;
  delete(wait: WatchedWait): void;
}

/** An acquisition by code that holds locks. If it takes long, it is watched. */
export class WatchedWait extends Deadline implements WaitGuard {
  /** Set once it is watched. */
  wait: BlockedWait | undefined;
  /** Its records: the text of each, and the lock that it is beside. */
  records = NO_RECORDS;
  /** When they were kept last, time of the scheduler. */
  keptAt = Number.NEGATIVE_INFINITY;
  /**
   * The end of each record that was part of a deadlock when it was first seen there. One that is kept for longer since
   * then belongs to a process that runs, and to a wait that has not ended.
   */
  seen: Map<string, number> | undefined;
  private failure: AbortSignal | undefined;
  private waiting: GuardedWait | undefined;

  constructor(
    private readonly watch: Watch,
    readonly acquisition: NestedAcquisition,
  ) {
    super();
  }

  get at(): number {
    return this.acquisition.startedAt + WATCHED_AFTER_MS;
  }

  get ended(): AbortSignal | undefined {
    return this.failure;
  }

  get isWaiting(): boolean {
    return this.waiting !== undefined;
  }

  onWaiting(waiting: GuardedWait): void {
    this.waiting = waiting;
    this.watch.scheduler.deadlines.add(this);
  }

  onPassed(): void {
    this.watch.add(this);
  }

  onOver(): void {
    if (!this.waiting) return;
    this.waiting = undefined;
    this.watch.scheduler.deadlines.delete(this);
    if (this.wait) this.watch.delete(this);
  }

  /** The records to keep: of the locks that are still held. */
  blockedHolds(): readonly BlockedHold[] {
    const { wait } = this;
    return wait && this.isWaiting ? this.acquisition.held().map((held) => ({ wait, held })) : [];
  }

  /** Ends the wait with an error. */
  fail(error: Error): void {
    this.failure = AbortSignal.abort(error);
    this.waiting?.onAborted(this.failure);
  }
}
