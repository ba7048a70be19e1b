import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { killWithUs, type Reaper } from '../process/reaper.js';
import type { Failure, Message, Request, WorkerApi } from './worker-messages.js';

const register = fileURLToPath(new URL('../register.cjs', import.meta.url));

/** An error thrown in a worker: its name and code, and its stack as it was there. */
export class WorkerError extends Error {
  readonly code: unknown;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = failure.name;
    this.code = failure.code;
    if (failure.stack !== undefined) this.stack = failure.stack;
  }
}

export interface WorkerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * A process of its own that runs a TypeScript file, which calls `serve(api)`. Name the type of that api:
 * `Worker.start<typeof api>(new URL('./buyer.ts', import.meta.url))`.
 */
export class Worker<Api extends WorkerApi> {
  /** Settles when the process has ended, never with an error. */
  readonly exited: Promise<WorkerExit>;
  private readonly pending = new Map<number, PendingCall>();
  private lastId = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly reaper: Reaper | undefined,
  ) {
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.reaper?.callOff();
        this.rejectAll(new Error(`The worker ended with ${signal ?? `code ${code}`} before it answered`));
        resolve({ code, signal });
      });
    });
    child.on('message', (message: Message) => this.receive(message));
  }

  /** Resolves when the file has called `serve`. The worker shares the output of this process. */
  static async start<Api extends WorkerApi>(
    file: URL,
    {
      args = [],
      env = {},
      node = process.execPath,
    }: {
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      /** Path of the Node that runs it. */
      readonly node?: string;
    } = {},
  ): Promise<Worker<Api>> {
    const path = fileURLToPath(file);
    const child = fork(register, [path, ...args], { execPath: node, execArgv: [], env: { ...process.env, ...env } });
    const worker = new Worker<Api>(child, child.pid === undefined ? undefined : killWithUs(child.pid));
    const ready = new Promise<void>((resolve) => {
      child.on('message', ({ kind }: Message) => kind === 'ready' && resolve());
    });
    const ended = worker.exited.then(({ code, signal }) => {
      throw new Error(`${path} ended with ${signal ?? `code ${code}`} before it served`);
    });
    await Promise.race([ready, ended]);
    // From here on the end of the worker is expected.
    ended.catch(() => {});
    return worker;
  }

  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error('The worker did not start');
    return pid;
  }

  /** Calls a function of the worker's api; rejects with a {@link WorkerError}, or when the worker ends first. */
  call<Name extends keyof Api & string>(
    name: Name,
    ...args: Parameters<Api[Name]>
  ): Promise<Awaited<ReturnType<Api[Name]>>> {
    return new Promise((resolve, reject) => {
      const request: Request = { id: ++this.lastId, name, args };
      this.pending.set(request.id, { resolve: (value) => resolve(value as Awaited<ReturnType<Api[Name]>>), reject });
      this.child.send(request, (error) => error !== null && this.settle(request.id)?.reject(error));
    });
  }

  /** Sends a signal: 'SIGSTOP' and 'SIGCONT' pause and resume, 'SIGKILL' is a crash. */
  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ends the worker, unless it has ended, and waits for that. */
  async stop(): Promise<WorkerExit> {
    this.kill('SIGTERM');
    this.kill('SIGCONT');
    return this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private receive(message: Message): void {
    if (message.kind === 'ready') return;
    const call = this.settle(message.id);
    if (message.kind === 'result') call?.resolve(message.value);
    else call?.reject(new WorkerError(message.error));
  }

  private settle(id: number): PendingCall | undefined {
    const call = this.pending.get(id);
    this.pending.delete(id);
    return call;
  }

  private rejectAll(error: Error): void {
    for (const id of this.pending.keys()) this.settle(id)?.reject(error);
  }
}
