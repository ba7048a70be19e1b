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

/** The clocks and timers of one process. They run at a rate of their own, and the wall clock can be set. */
export class ProcessClock implements Scheduler {
  private wallOffset = 1_000_000;

  constructor(
    private readonly process: ClockedProcess,
    /** Milliseconds of this clock for each of true time. */
    readonly rate: number,
  ) {}

  now(): number {
    return this.process.trueNow * this.rate;
  }

  wallNow(): number {
    return this.now() + this.wallOffset;
  }

  /** Sets the wall clock by `ms`. */
  setWall(ms: number): void {
    this.wallOffset += ms;
  }

  schedule(ms: number, task: () => void): ScheduledTask {
    // A timer runs in the async context of its caller.
    const context = new AsyncResource('SimulatedTimer');
    const due = this.process.trueNow + Math.max(0, ms) / this.rate + GRAIN_MS + this.process.lateness();
    const event = this.process.enqueue(due, () => context.runInAsyncScope(task));
    return {
      cancel: () => {
        event.cancelled = true;
      },
    };
  }
}
