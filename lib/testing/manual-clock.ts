import { AsyncResource } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type { ScheduledTask, Scheduler } from '../time/scheduler.js';

interface Task {
  readonly due: number;
  readonly run: () => void;
}

/**
 * Time that moves when told to, for tests: bound to `WATCHDOG_SCHEDULER` together with the memory backend, leases end
 * and renewals happen at the very millisecond that {@link advance} reaches, however long the test itself takes.
 *
 * Only what goes through the scheduler moves. A Redis server and sockets keep their own time.
 *
 * @example
 * const waiting = locks.acquire('order:42', { wait: '3s' });
 * await clock.advance(3000);
 * await expect(waiting).rejects.toThrow(LockTimeoutError);
 */
export class ManualClock implements Scheduler {
  /** In the order in which they are to run. */
  private readonly tasks: Task[] = [];
  private time = 0;
  private advancing = false;

  /** Milliseconds that were advanced so far. */
  now(): number {
    return this.time;
  }

  /** How many tasks wait for their time: 0 shows that nothing was left behind. */
  get pending(): number {
    return this.tasks.length;
  }

  /** Runs `task` once, when the clock has been advanced by `ms`; in the async context of this call, as a timer does. */
  schedule(ms: number, task: () => void): ScheduledTask {
    // Not `AsyncResource.bind`, which takes microseconds, and a test may schedule a hundred thousand times.
    const context = new AsyncResource('ManualClockTask');
    const scheduled: Task = { due: this.time + (ms > 0 ? ms : 0), run: () => context.runInAsyncScope(task) };
    const before = this.tasks.findLastIndex(({ due }) => due <= scheduled.due);
    this.tasks.splice(before + 1, 0, scheduled);
    return { cancel: () => this.forget(scheduled) };
  }

  /**
   * Moves the clock on by `ms` and runs what comes due on the way, each task at its own instant, in order. Promises
   * settle before the first task, between tasks and before this resolves; `advance(0)` does no more than that.
   * @throws whatever a task throws; the clock then stands at that task's instant.
   */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0 && Number.isFinite(ms)))
      throw new RangeError(`A clock advances by 0 or more milliseconds, not ${ms}`);
    if (this.advancing) throw new Error('The clock is being advanced already: await one advance() before the next');
    this.advancing = true;
    try {
      await this.runUntil(this.time + ms);
    } finally {
      this.advancing = false;
    }
  }

  private async runUntil(end: number): Promise<void> {
    // Whatever was started before may still be about to schedule something.
    await setImmediate();
    for (let next = this.tasks[0]; next !== undefined && next.due <= end; next = this.tasks[0]) {
      this.tasks.shift();
      this.time = next.due;
      next.run();
      await setImmediate();
    }
    this.time = end;
  }

  private forget(task: Task): void {
    const index = this.tasks.indexOf(task);
    if (index !== -1) this.tasks.splice(index, 1);
  }
}
