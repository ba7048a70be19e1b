import { runProgram } from './program.js';
import { Terminal } from './display/terminal.js';
import { ExitCode, exitCodeOfSignal } from './exit-code.js';

/** Put here by tools/bundle.mjs. */
declare const PACKAGE_VERSION: string;

const { stdin, stdout, stderr, env } = process;

stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the results has gone, as `head` does: there is nothing left to do.
  process.exit(error.code === 'EPIPE' ? exitCodeOfSignal('SIGPIPE') : ExitCode.internal);
});
stderr.on('error', () => {
  // This cannot be reported, and a command that runs under a lock goes on.
});

const program = runProgram(process.argv.slice(2), PACKAGE_VERSION, new Terminal(stdout, stderr), {
  environment: env,
  isOnTerminal: [stdin, stdout, stderr].some(({ isTTY }) => isTTY),
});
void program.then((exitCode) => {
  process.exitCode = exitCode;
});
