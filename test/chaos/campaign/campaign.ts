import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Row } from '../table.js';
import type { CaseSeries } from './case-series.js';
import { inTurns } from './in-turns.js';

const REGISTER = fileURLToPath(new URL('../../servers/register.cjs', import.meta.url));
const WORKER = fileURLToPath(new URL('./case.worker.ts', import.meta.url));

const runIn = (child: ChildProcess, series: CaseSeries): Promise<Row> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null): void =>
      reject(new Error(`The process that ran ${series.id} ${series.topology} ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (row: Row) => {
      child.off('exit', onExit);
      resolve(row);
    });
    child.send(series);
  });

/** Whether the process had no error that nobody waited for. */
const endedWell = (child: ChildProcess): Promise<boolean> =>
  new Promise((resolve) => {
    child.once('exit', (code) => resolve(code === 0));
    child.disconnect();
  });

export interface CampaignResults {
  /** One for each case, in their order. */
  readonly rows: readonly Row[];
  /** Whether an error was thrown where nobody waited for it. */
  readonly crashed: boolean;
}

/** Runs the cases in a number of processes, each of which takes the next one when it is ready. */
export const runCampaign = async (cases: readonly CaseSeries[], jobs: number): Promise<CampaignResults> => {
  const children = Array.from({ length: Math.min(jobs, cases.length) }, () => fork(REGISTER, [WORKER]));
  const runs = cases.map((series) => (job: number) => {
    const child = children[job];
    if (child === undefined) throw new RangeError(`There is no job ${job}`);
    return runIn(child, series);
  });
  try {
    const rows = await inTurns(runs, jobs);
    const ended = await Promise.all(children.map(endedWell));
    return { rows, crashed: ended.includes(false) };
  } catch (error) {
    for (const child of children) child.kill();
    throw error;
  }
};
