import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** How a command ended: with a code, by a signal, or not even begun. */
export type CommandEnd =
  { readonly code: number } | { readonly signal: NodeJS.Signals } | { readonly error: NodeJS.ErrnoException };

const PAUSE_MS = 50;

/**
 * A command that runs as a process of its own, with the streams of this one.
 *
 * Without a terminal it leads a process group of its own, and signals go to all of the group: to a shell and to what it
 * has started. On a terminal it stays in the group of this process, which the terminal sends its signals to; a group of
 * its own could not read from it.
 */
export class ChildCommand {
  /** Settles when the process has ended, never with an error. */
  readonly ended: Promise<CommandEnd>;
  private readonly child: ChildProcess | undefined;
  private hasEnded = false;

  constructor(
    command: string,
    parameters: readonly string[],
    private readonly isOnTerminal: boolean,
  ) {
    try {
      const child = spawn(command, parameters, { stdio: 'inherit', detached: !isOnTerminal });
      this.child = child;
      this.ended = this.endOf(child);
    } catch (error) {
      // Some failures of the system are thrown, and others are events.
      if (!(error instanceof Error)) throw error;
      this.ended = Promise.resolve({ error });
    }
  }

  private endOf(child: ChildProcess): Promise<CommandEnd> {
    return new Promise((resolve) => {
      const end = (how: CommandEnd): void => {
        this.hasEnded = true;
        resolve(how);
      };
      child.once('error', (error: NodeJS.ErrnoException) => {
        // An error of a process that runs is one of a signal to it.
        if (child.pid === undefined) end({ error });
      });
      child.once('exit', (code, signal) => end(signal === null ? { code: code ?? 0 } : { signal }));
    });
  }

  /** Sends the signal to the command; nothing happens if it has ended. */
  send(signal: NodeJS.Signals): void {
    const { child } = this;
    if (child?.pid === undefined) return;
    if (this.isOnTerminal) {
      if (!this.hasEnded) child.kill(signal);
      return;
    }
    signalGroup(child.pid, constants.signals[signal]);
  }

  /** Ends the command and what it has started: with SIGTERM, and with SIGKILL if any of it runs `graceMs` later. */
  async stop(graceMs: number): Promise<void> {
    this.send('SIGTERM');
    // A stopped process would not notice.
    this.send('SIGCONT');
    const end = performance.now() + graceMs;
    while (this.isRunning && performance.now() < end) {
      await pause(Math.min(PAUSE_MS, Math.max(1, end - performance.now())));
    }
    if (this.isRunning) this.send('SIGKILL');
    await this.ended;
  }

  /** Whether the command runs, or anything in its group. */
  private get isRunning(): boolean {
    const pid = this.child?.pid;
    if (pid === undefined) return false;
    return !this.hasEnded || (!this.isOnTerminal && signalGroup(pid, 0));
  }
}

/** Returns whether there was a process to receive it; 0 only asks. */
const signalGroup = (group: number, signal: number): boolean => {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    // EPERM: what is left runs as another user.
    if (error instanceof Error && 'code' in error && ['ESRCH', 'EPERM'].includes(String(error.code))) return false;
    throw error;
  }
};
