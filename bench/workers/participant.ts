import type { Tasks } from './tasks.js';

/** A process that uses a library. It executes tasks and returns what it measured. */
export interface Participant {
  readonly pid: number;
  /** Processor time that the process has used so far, µs. */
  cpuTime(): Promise<number>;
  ask<Name extends keyof Tasks>(
    name: Name,
    task: Parameters<Tasks[Name]>[0],
  ): Promise<Awaited<ReturnType<Tasks[Name]>>>;
  stop(): Promise<void>;
}
