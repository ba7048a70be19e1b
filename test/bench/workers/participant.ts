import type { Tasks } from './tasks.js';

/** A process that uses a library. It executes tasks and returns what it measured. */
export interface Participant {
  readonly pid: number;
  ask<Name extends keyof Tasks>(
    name: Name,
    task: Parameters<Tasks[Name]>[0],
  ): Promise<Awaited<ReturnType<Tasks[Name]>>>;
  stop(): Promise<void>;
}
