import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainEnvironment } from '../servers/process/plain-environment.js';
import { until } from '../kit/until.js';

const MAIN = join(process.cwd(), 'dist/sample/shop/main.js');

interface RunningProcess {
  readonly id: number;
  readonly command: string;
}

/** A run of `npm start` without the build. A test that fails leaves none of its processes: jest would wait for them. */
export class SampleRun implements AsyncDisposable {
  stdout = '';
  stderr = '';
  private readonly mark = randomUUID();
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown>;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    // Processes started by the sample inherit the mark.
    const { LOCK_DRIVER } = process.env;
    const marked = { ...plainEnvironment(), LOCK_DRIVER, ...env, SAMPLE_RUN: this.mark };
    this.child = spawn(process.execPath, [MAIN, ...args], { env: marked, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout?.on('data', (chunk) => (this.stdout += String(chunk)));
    this.child.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
    this.exit = once(this.child, 'close');
  }

  /** Resolves when the output or the error output contains this text. */
  async said(text: string): Promise<void> {
    const hasSaid = async (): Promise<boolean> => {
      if (this.child.exitCode !== null) throw new Error(`It ended before it said "${text}": ${this.stderr}`);
      return this.stdout.includes(text) || this.stderr.includes(text);
    };
    await until(hasSaid, 600_000, `the sample says "${text}"`);
  }

  interrupt(): void {
    this.child.kill('SIGINT');
  }

  /** Resolves with the exit code when the process has ended and all its output is there. */
  async code(): Promise<number | null> {
    await this.exit;
    return this.child.exitCode;
  }

  /** The command lines of the sample and of the processes it started, as far as they still run. */
  async processes(): Promise<readonly string[]> {
    return (await this.running()).map(({ command }) => command);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { id } of await this.running()) {
      try {
        process.kill(id, 'SIGKILL');
      } catch {
        // It has ended with its parent.
      }
    }
    await this.exit;
  }

  private async running(): Promise<readonly RunningProcess[]> {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const found = await Promise.all(ids.map((id) => this.processOf(id)));
    return found.filter((one) => one !== undefined);
  }

  private async processOf(id: number): Promise<RunningProcess | undefined> {
    try {
      const environment = await readFile(`/proc/${id}/environ`, 'utf8');
      if (!environment.includes(`SAMPLE_RUN=${this.mark}`)) return undefined;
      return { id, command: (await readFile(`/proc/${id}/cmdline`, 'utf8')).replaceAll('\0', ' ') };
    } catch {
      // The process has ended meanwhile, or belongs to another user.
      return undefined;
    }
  }
}
