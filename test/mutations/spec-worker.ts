import { type ChildProcess, fork } from 'node:child_process';
import { join, relative } from 'node:path';

/** The result of one spec. */
export interface SpecResult {
  readonly spec: string;
  readonly ms: number;
  readonly hasFailed: boolean;
  /** Where the spec has been, in the copy with probes. */
  readonly reached: readonly string[];
}

/** The first failure of a run. */
export interface SpecFailure {
  readonly spec: string;
  readonly test: string;
}

type Message =
  | ({ readonly type: 'failed' } & SpecFailure)
  | ({ readonly type: 'ended' } & SpecResult)
  | { readonly type: 'done' }
  | { readonly type: 'broken'; readonly error: string };

export interface SpecRun {
  /** Paths from the root of the copy, in the order in which they run. */
  readonly specs: readonly string[];
  /** Time limit, ms. */
  readonly limit: number;
  readonly onEnded?: (result: SpecResult) => void;
}

/** A process ends now and then, since jest keeps memory. */
const MOST_RUNS = 40;

/** Runs specs of a copy in a process that stays, and is replaced if it hangs. */
export class SpecWorker {
  private child: ChildProcess | undefined;
  private runs = 0;

  constructor(
    private readonly copy: string,
    private readonly isProbed = false,
  ) {}

  /** Runs specs until one fails; with probes, all. @returns The first failure, if any. */
  async run({ specs, limit, onEnded = () => {} }: SpecRun): Promise<SpecFailure | undefined> {
    if (this.runs++ >= MOST_RUNS) this.end();
    const child = (this.child ??= this.start());
    let current = specs[0] ?? '';
    const failure = await new Promise<SpecFailure | undefined>((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (found: SpecFailure | undefined, isAlive: boolean): void => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (!isAlive) this.end();
        resolve(found);
      };
      const armed = (): NodeJS.Timeout =>
        setTimeout(() => settle({ spec: current, test: `not ended within ${limit / 1000} s` }, false), limit);
      timer = armed();
      child.once('exit', (code, signal) =>
        settle({ spec: current, test: `ended the process with ${code ?? signal}` }, false),
      );
      child.on('message', (message: Message) => {
        if (message.type === 'done') settle(undefined, true);
        else if (message.type === 'broken') settle({ spec: current, test: message.error }, false);
        else if (message.type === 'failed') {
          // The rest of the spec may hang: it is not waited for.
          if (!this.isProbed) settle({ spec: this.nameOf(message.spec), test: message.test }, false);
        } else {
          const spec = this.nameOf(message.spec);
          onEnded({ ...message, spec });
          if (message.hasFailed && !this.isProbed) settle({ spec, test: 'could not run' }, false);
          current = specs[specs.indexOf(spec) + 1] ?? current;
          clearTimeout(timer);
          timer = armed();
        }
      });
      child.send({ specs: specs.map((spec) => join(this.copy, spec)), isProbed: this.isProbed });
    });
    return failure;
  }

  end(): void {
    this.runs = 0;
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }

  private nameOf(path: string): string {
    return relative(this.copy, path);
  }

  private start(): ChildProcess {
    const env = { ...process.env, REACHED_FILE: join(this.copy, 'reached.json') };
    return fork(join(this.copy, 'test/mutations/jest/worker.cjs'), { cwd: this.copy, env, silent: true });
  }
}
