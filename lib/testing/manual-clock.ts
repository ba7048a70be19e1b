import { setImmediate } from 'node:timers/promises';
import type { ScheduledTask, Scheduler } from '../time/scheduler.js';
import { AsyncResource } from 'node:async_hooks';

/** Kept, because the fake timers of a test runner may replace it later: node:test does. */
const nextTurn = setImmediate;

/** Resolves when the promises of what was started before have settled. */
export const settle = (): Promise<void> => nextTurn();

/** A clock whose tasks of 0 ms run without an advance, so that an application can be closed while the clock stands. */
export const promptClock = (clock: Scheduler): Scheduler => ({
  now: () => clock.now(),
  schedule: (ms, task, options) => (ms > 0 ? clock.schedule(ms, task, options) : inNextTurn(task)),
});

const inNextTurn = (task: () => void): ScheduledTask => {
  let isPending = true;
  void nextTurn().then(() => {
    if (isPending) task();
  });
  return {
    cancel: () => {
      isPending = false;
    },
  };
};

interface Task {
  readonly due: number;
  readonly run: () => void;
}

/**
 * A manually advanced clock for tests. Bound to `WATCHDOG_SCHEDULER` together with the memory backend, leases end and
 * renewals happen at the exact millisecond that {@link advance} reaches, however long the test itself takes.
 *
 * Only tasks of the scheduler are affected. A Redis server and sockets keep their own time.
 *
 * @example
 * const waiting = locks.acquire('order:42', { wait: '3s' });
 * await clock.advance(3000);
 * await expect(waiting).rejects.toThrow(LockTimeoutError);
 */
export class ManualClock implements Scheduler {
  /** In order of execution. */
  private readonly tasks: Task[] = [];
  private time = 0;
  private advancing = false;

  /** Milliseconds advanced so far. */
  now(): number {
    return this.time;
  }

  /** Number of pending tasks: 0 shows that none was left behind. */
  get pending(): number {
    return this.tasks.length;
  }

  /** Runs `task` once, when the clock has been advanced by `ms`; in the async context of this call, as a timer does. */
  schedule(ms: number, task: () => void): ScheduledTask {
    // Not `AsyncResource.bind`, which takes microseconds: a test may schedule a hundred thousand times.
    const context = new AsyncResource('ManualClockTask');
    const scheduled: Task = { due: this.time + (ms > 0 ? ms : 0), run: () => context.runInAsyncScope(task) };
    const before = this.tasks.findLastIndex(({ due }) => due <= scheduled.due);
    this.tasks.splice(before + 1, 0, scheduled);
    return { cancel: () => this.forget(scheduled) };
  }

  /**
   * Advances the clock by `ms` and runs the tasks that become due, each at its own time, in order. Promises settle
   * before the first task, between tasks and before this resolves; `advance(0)` does only that.
   * @throws the error of a task; the clock then stands at that task's time.
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
    // Code that started earlier may still be about to schedule tasks.
    await nextTurn();
    for (let next = this.tasks[0]; next !== undefined && next.due <= end; next = this.tasks[0]) {
      this.tasks.shift();
      this.time = next.due;
      next.run();
      await nextTurn();
    }
    this.time = end;
  }

  private forget(task: Task): void {
    const index = this.tasks.indexOf(task);
    if (index !== -1) this.tasks.splice(index, 1);
  }
}
