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

const end = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`A process of the campaign ended with ${code}`));
    });
    child.disconnect();
  });

/** Runs the cases in a number of processes, each of which takes the next one when it is ready. Keeps their order. */
export const runCampaign = async (cases: readonly CaseSeries[], jobs: number): Promise<Row[]> => {
  const children = Array.from({ length: Math.min(jobs, cases.length) }, () => fork(REGISTER, [WORKER]));
  const runs = cases.map((series) => (job: number) => {
    const child = children[job];
    if (child === undefined) throw new RangeError(`There is no job ${job}`);
    return runIn(child, series);
  });
  try {
    const rows = await inTurns(runs, jobs);
    await Promise.all(children.map(end));
    return rows;
  } catch (error) {
    for (const child of children) child.kill();
    throw error;
  }
};
