import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { plainEnvironment } from '../servers/process/plain-environment.js';
import { killWithUs, type Reaper } from '../servers/process/reaper.js';
import { until } from '../kit/until.js';

const CLI = join(__dirname, '../../dist/lib/cli.cjs');
/** Only ends a test that hangs. */
const LIMIT_MS = 90_000;

export interface CommandResult {
  /** The exit code; `undefined` if a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const running = new Set<ChildProcess>();

// A test that failed leaves its processes running.
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** The built command line, as a process of its own. */
export class CommandLine {
  stdout = '';
  stderr = '';
  private readonly child: ChildProcess;
  private readonly reaper: Reaper | undefined;
  readonly ended: Promise<CommandResult>;

  private constructor(
    command: string,
    parameters: readonly string[],
    environment: Environment,
    input: 'ignore' | 'pipe' = 'ignore',
  ) {
    const env = { ...plainEnvironment(), ...environment };
    const child = spawn(command, parameters, { env, stdio: [input, 'pipe', 'pipe'] });
    this.child = child;
    running.add(child);
    if (child.pid !== undefined) this.reaper = killWithUs(child.pid);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => {
        this.reaper?.callOff();
        running.delete(child);
        resolve({ code: code ?? undefined, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  static start(parameters: readonly string[], environment: Environment = {}): CommandLine {
    return new CommandLine(process.execPath, [CLI, ...parameters], environment);
  }

  /** Starts it on a terminal of its own, which both streams are written to. */
  static startOnTerminal(parameters: readonly string[], environment: Environment = {}): CommandLine {
    // Without `exec` a shell may stay in between, which Ctrl-C ends as well, with a code of its own.
    const command = `exec ${[process.execPath, CLI, ...parameters].map(quoted).join(' ')}`;
    return new CommandLine('script', ['-qec', command, '/dev/null'], { TERM: 'xterm', ...environment }, 'pipe');
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Presses Ctrl-C on its terminal. */
  pressCtrlC(): void {
    this.child.stdin?.write('\u0003');
  }

  /** Closes the reading end of its output, as `head` does. */
  stopReading(): void {
    this.child.stdout?.destroy();
  }

  /** Resolves when one of its streams has this text. */
  async says(text: string): Promise<void> {
    const hasSaid = (): boolean => {
      if (this.stdout.includes(text) || this.stderr.includes(text)) return true;
      if (this.child.exitCode === null) return false;
      throw new Error(`It ended before it said "${text}": ${this.stdout}${this.stderr}`);
    };
    await until(hasSaid, LIMIT_MS, `the command line says "${text}"`);
  }
}

/** Runs the command line to its end. */
export const runCli = (parameters: readonly string[], environment: Environment = {}): Promise<CommandResult> =>
  CommandLine.start(parameters, environment).ended;

/** A character that controls a terminal, or changes what it shows. */
export const CONTROL = /[\p{Cc}\p{Cf}]/u;

/** Matches the one sentence of a failure: a single line on the error stream, without a stack. */
export const sentence = (text: RegExp): unknown =>
  expect.stringMatching(new RegExp(`^nest-redis-lock: (?!.*\\n\\s+at )[^\\n]*${text.source}[^\\n]*\\n$`));
