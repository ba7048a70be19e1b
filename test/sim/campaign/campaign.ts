import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { add, emptyTally, type Range, type Tally } from './range.js';

const REGISTER = fileURLToPath(new URL('../../servers/register.cjs', import.meta.url));
const WORKER = fileURLToPath(new URL('./range.worker.ts', import.meta.url));

export interface Campaign extends Omit<Range, 'step'> {
  /** How many processes share the seeds. */
  readonly jobs: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Told now and then what has been done so far. */
  readonly onProgress?: (total: Tally) => void;
}

/** Runs seeds in several processes. Where it stops at the first failure, the others are stopped as well. */
export const runCampaign = async ({ jobs, env = process.env, onProgress, ...range }: Campaign): Promise<Tally> => {
  const total = emptyTally();
  const children = Array.from({ length: jobs }, () => fork(REGISTER, [WORKER], { env }));
  const work = children.map(
    (child, index) =>
      new Promise<void>((resolve, reject) => {
        child.on('message', (part: Tally) => {
          add(total, part);
          onProgress?.(total);
          if (range.stopsAtFirst && total.failures.length > 0) for (const each of children) each.kill();
        });
        child.once('exit', (code) => {
          if (code === 0 || (range.stopsAtFirst && total.failures.length > 0)) resolve();
          else reject(new Error(`A process of the campaign ended with ${code}`));
        });
        child.send({ ...range, from: range.from + index, seeds: range.seeds - index, step: jobs });
      }),
  );
  await Promise.all(work);
  total.failures.sort((one, other) => one.seed - other.seed);
  return total;
};
