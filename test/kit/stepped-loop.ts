import type { ScheduledTask, Scheduler } from '../../lib/time/scheduler.js';

interface Task {
  readonly due: number;
  /** Whether it was scheduled for 0 ms. */
  readonly isNext: boolean;
  readonly run: () => void;
}

/** An event loop that a test takes step by step, in the order of Node: timers, sockets, tasks of 0 ms. */
export class SteppedLoop implements Scheduler {
  private time = 0;
  private readonly tasks = new Set<Task>();

  now(): number {
    return this.time;
  }

  schedule(ms: number, run: () => void): ScheduledTask {
    const task = { due: this.time + ms, isNext: ms === 0, run };
    this.tasks.add(task);
    return { cancel: () => void this.tasks.delete(task) };
  }

  /** Lets time pass in which nothing runs. */
  block(ms: number): void {
    this.time += ms;
  }

  /** One turn, in which `readSockets` is what has arrived. Promises settle after it. */
  async turn(readSockets: () => void = () => {}): Promise<void> {
    this.run((task) => !task.isNext && task.due <= this.time);
    readSockets();
    await Promise.resolve().then(() => {});
    this.run((task) => task.isNext);
    await Promise.resolve().then(() => {});
  }

  get pending(): number {
    return this.tasks.size;
  }

  private run(isDue: (task: Task) => boolean): void {
    for (const task of [...this.tasks].filter(isDue)) if (this.tasks.delete(task)) task.run();
  }
}
