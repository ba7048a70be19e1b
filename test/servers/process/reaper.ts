import { type ChildProcess, spawn } from 'node:child_process';

/** A process that cleans up after this one has ended. */
export interface Reaper {
  /** Calls the reaper off once the process has ended or is about to, because another process may get its pid. */
  callOff(): void;
}

/**
 * Kills `pid` and removes `folder` when this process ends, however it ends. An 'exit' listener is not enough: jest
 * hands tests a copy of `process` that never emits it, and a killed process emits nothing. A pipe is closed in any case.
 */
export function killWithUs(pid: number, folder?: string): Reaper {
  return afterUs('kill -9 "$0" 2>/dev/null; [ -z "$1" ] || rm -rf "$1"', String(pid), folder ?? '');
}

/** Does the same with SIGQUIT, on which a server ends its own processes and removes its shared memory. */
export function quitWithUs(pid: number, folder: string): Reaper {
  const gone = 'for _ in 1 2 3 4 5 6 7 8 9; do kill -0 "$0" 2>/dev/null || break; sleep 0.2; done';
  return afterUs(`kill -QUIT "$0" 2>/dev/null; ${gone}; rm -rf "$1"`, String(pid), folder);
}

/** Removes `folder` when this process ends, however it ends. */
export function removeWithUs(folder: string): Reaper {
  return afterUs('rm -rf "$0"', folder);
}

function afterUs(script: string, ...args: readonly string[]): Reaper {
  // Detached, so that Ctrl-C in the terminal does not reach it before it has done its work.
  const shell = spawn('/bin/sh', ['-c', `read -r _; ${script}`, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  letExit(shell);
  return { callOff: () => void shell.kill('SIGKILL') };
}

/** Keeps a child from keeping this process alive. */
export function letExit(child: ChildProcess): void {
  child.unref();
  const { stdin } = child;
  if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
}
