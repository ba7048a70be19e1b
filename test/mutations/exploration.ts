import { fork } from 'node:child_process';
import { join } from 'node:path';

export interface Exploration {
  readonly seeds: number;
  /** Whether every script is executed on a real server as well. */
  readonly isReal: boolean;
}

export interface Explored {
  readonly failure?: string;
  /** Where the explorer has been, in the copy with probes. */
  readonly reached: readonly string[];
}

/** Runs the explorer of a copy in a process of its own. */
export const explored = (copy: string, exploration: Exploration, limit: number): Promise<Explored> =>
  new Promise((resolve) => {
    const [register, worker] = ['test/servers/register.cjs', 'test/mutations/explore.worker.ts'];
    const child = fork(join(copy, register), [join(copy, worker)], { cwd: copy, silent: true });
    const settle = (result: Explored): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      child.kill('SIGKILL');
      resolve(result);
    };
    const timer = setTimeout(
      () => settle({ failure: `explorer: not ended within ${limit / 1000} s`, reached: [] }),
      limit,
    );
    child.once('message', (result: Explored) => settle(result));
    child.once('exit', (code) => settle({ failure: `explorer: ended with ${code}`, reached: [] }));
    child.send(exploration);
  });
