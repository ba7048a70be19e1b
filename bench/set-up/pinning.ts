import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { CLIENT_CORE, SERVER_CORE } from './set-up.js';

/** Moves a process, with all of its threads, to a core. Threads and processes that it starts later stay there. */
export function pin(pid: number, core: number): void {
  // Throws if the process has ended, of which taskset says nothing.
  process.kill(pid, 0);
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)], { stdio: 'pipe' });
}

/** @throws Error if processes cannot be pinned on this machine. */
export function assertPinnable(): void {
  const cores = Math.max(SERVER_CORE, CLIENT_CORE) + 1;
  if (availableParallelism() < cores) throw new Error(`--pin needs ${cores} cores`);
  try {
    execFileSync('taskset', ['--version'], { stdio: 'pipe' });
  } catch (error) {
    throw new Error('--pin needs taskset, of the package util-linux', { cause: error });
  }
}
