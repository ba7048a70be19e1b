import type { Terminal } from './display/terminal.js';

/** Parts of the process that the commands use. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** Whether the process has a terminal, for input or output. */
  readonly isOnTerminal: boolean;
  /** Runs the work of a command; its result is the exit code. */
  finish(work: Promise<number>): Promise<void>;
}
