import { setTimeout } from 'node:timers/promises';
import type { ReportLog } from '../../reports/report.controller.js';
import type { ReportRuns } from '../../reports/stock-reports.js';
import { type Chapter, counted, type Seen } from '../chapter.js';
import type { Scene } from '../scene.js';

const LOOK_AGAIN_MS = 100;
const PATIENCE_MS = 10_000;

/** Reports that were written at their times since the shop opened. */
export async function readRuns({ connect }: Scene, atLeast: number): Promise<readonly ReportRuns[]> {
  using keeper = connect();
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const { runs } = await keeper.read<ReportLog>('/reports');
    if (runs.length >= atLeast) return runs;
    await setTimeout(LOOK_AGAIN_MS);
  }
  throw new Error(`No stock report was written in ${PATIENCE_MS / 1000} s.`);
}

export function scheduleChapter(seen: Seen<readonly ReportRuns[]>, processes: number): Chapter {
  const most = (runs: readonly ReportRuns[]): number => Math.max(0, ...runs.map((tick) => tick.runs));
  const twice = seen.filter(([locking, runs]) => locking !== 'off' && most(runs) > 1);
  return {
    title: `The stock report: due every two seconds in ${counted(processes, 'process', 'processes')}`,
    head: ['locks', 'ticks', 'reports written', 'most for one tick'],
    rows: seen.map(([locking, runs]) => [
      locking,
      runs.length,
      runs.reduce((total, tick) => total + tick.runs, 0),
      most(runs),
    ]),
    remarks: twice.length === 0 ? ['With @LockedCron each tick ran on one process.'] : [],
    complaints: twice.map(
      ([locking, runs]) => `With locks ${locking}, a stock report was written ${most(runs)} times for one tick.`,
    ),
  };
}
