import { AsyncResource } from 'node:async_hooks';
import type { ScheduledTask, Scheduler } from '../../../lib/time/scheduler.js';
import type { SimulatedEvent } from './event-queue.js';

/** The process that a clock belongs to. */
export interface ClockedProcess {
  readonly trueNow: number;
  /** Runs `run` in this process at an instant of true time, or when the process goes on after a stall. */
  enqueue(at: number, run: () => void): SimulatedEvent;
  lateness(): number;
}

/** Added to each timer, so that it is never early because of floating-point arithmetic, ms. */
const GRAIN_MS = 1e-6;

/**
 * The clocks and timers of one process. They run at a rate of their own. The wall clock can be set; the monotonic one and
 * the timers stand still while the machine is suspended.
 */
export class ProcessClock implements Scheduler {
  private wallOffset = 1_000_000;
  /** The last suspension, in true time. */
  private suspended = { from: 0, until: 0 };
  /** Milliseconds of true time of the suspensions before. */
  private suspendedBefore = 0;

  constructor(
    private readonly process: ClockedProcess,
    /** Milliseconds of this clock for each of true time. */
    readonly rate: number,
  ) {}

  now(): number {
    return this.ran * this.rate;
  }

  wallNow(): number {
    return this.process.trueNow * this.rate + this.wallOffset;
  }

  /** Sets the wall clock by `ms`. */
  setWall(ms: number): void {
    this.wallOffset += ms;
  }

  /** Suspends the machine until an instant of true time. */
  suspend(until: number): void {
    const { trueNow } = this.process;
    const { suspended } = this;
    if (suspended.until > trueNow) {
      suspended.until = Math.max(suspended.until, until);
      return;
    }
    this.suspendedBefore += suspended.until - suspended.from;
    this.suspended = { from: trueNow, until };
  }

  schedule(ms: number, task: () => void): ScheduledTask {
    // A timer runs in the async context of its caller.
    const context = new AsyncResource('SimulatedTimer');
    const due = this.ran + Math.max(0, ms) / this.rate + GRAIN_MS + this.process.lateness();
    const wait = (): SimulatedEvent => this.process.enqueue(this.process.trueNow + due - this.ran, passed);
    const passed = (): void => {
      if (this.ran < due - GRAIN_MS) event = wait();
      else context.runInAsyncScope(task);
    };
    let event = wait();
    return {
      cancel: () => {
        event.cancelled = true;
      },
    };
  }

  /** Milliseconds of true time for which the machine was not suspended. */
  private get ran(): number {
    const { trueNow } = this.process;
    const { from, until } = this.suspended;
    return trueNow - this.suspendedBefore - (Math.min(trueNow, until) - from);
  }
}
