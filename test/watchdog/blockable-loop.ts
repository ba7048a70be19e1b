import { setImmediate } from 'node:timers/promises';
import type { ScheduledTask, Scheduler } from '../../lib/time/scheduler.js';

interface Task {
  readonly due: number;
  readonly run: () => void;
}

/**
 * A clock that the test moves, also while no task runs. Overdue tasks then run late, in the order in which they were
 * due.
 */
export class BlockableLoop implements Scheduler {
  private readonly tasks: Task[] = [];
  private time = 0;

  /** The number of timers. */
  get pending(): number {
    return this.tasks.length;
  }

  now(): number {
    return this.time;
  }

  schedule(ms: number, run: () => void): ScheduledTask {
    const task = { due: this.time + ms, run };
    const before = this.tasks.findLastIndex(({ due }) => due <= task.due);
    this.tasks.splice(before + 1, 0, task);
    return {
      cancel: () => {
        const index = this.tasks.indexOf(task);
        if (index !== -1) this.tasks.splice(index, 1);
      },
    };
  }

  /** Lets `ms` pass without running a task. */
  block(ms: number): void {
    this.time += ms;
  }

  /** Lets `ms` pass, and runs each task at its time. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    for (let [next] = this.tasks; next !== undefined && next.due <= end; [next] = this.tasks) {
      this.tasks.shift();
      this.time = Math.max(this.time, next.due);
      next.run();
      await setImmediate();
    }
    this.time = end;
  }
}
