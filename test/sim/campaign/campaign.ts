import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { add, emptyResult, type Range, type RangeResult } from './range.js';

const REGISTER = fileURLToPath(new URL('../../servers/register.cjs', import.meta.url));
const WORKER = fileURLToPath(new URL('./range.worker.ts', import.meta.url));

export interface Campaign extends Omit<Range, 'step'> {
  /** The number of processes that share the seeds. */
  readonly jobs: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Called repeatedly with the result so far. */
  readonly onProgress?: (total: RangeResult) => void;
}

/** Runs seeds in several processes. If it is to stop at the first failure, it ends the other processes as well. */
export const runCampaign = async ({
  jobs,
  env = process.env,
  onProgress,
  ...range
}: Campaign): Promise<RangeResult> => {
  const total = emptyResult();
  const children = Array.from({ length: jobs }, () => fork(REGISTER, [WORKER], { env }));
  const work = children.map(
    (child, index) =>
      new Promise<void>((resolve, reject) => {
        child.on('message', (part: RangeResult) => {
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
