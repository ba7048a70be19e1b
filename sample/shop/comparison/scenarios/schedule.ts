import { setTimeout } from 'node:timers/promises';
import type { ReportLog } from '../../reports/report.controller.js';
import type { ReportRuns } from '../../reports/stock-reports.js';
import { type ScenarioResult, counted, type ByLocking } from '../scenario-result.js';
import type { RunningShop } from '../running-shop.js';

const POLL_MS = 100;
const TIMEOUT_MS = 10_000;

/** How often the stock report was written for each tick since the shop opened. */
export async function readReportRuns({ connect }: RunningShop, atLeast: number): Promise<readonly ReportRuns[]> {
  using manager = connect();
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const { runs } = await manager.read<ReportLog>('/reports');
    if (runs.length >= atLeast) return runs;
    await setTimeout(POLL_MS);
  }
  throw new Error(`No stock report was written in ${TIMEOUT_MS / 1000} s.`);
}

export function scheduleResult(seen: ByLocking<readonly ReportRuns[]>, processes: number): ScenarioResult {
  const most = (runs: readonly ReportRuns[]): number => Math.max(0, ...runs.map((tick) => tick.runs));
  const twice = seen.filter(([locking, runs]) => locking !== 'off' && most(runs) > 1);
  return {
    title: `The stock report: due every two seconds in ${counted(processes, 'process', 'processes')}`,
    columns: ['locks', 'ticks', 'reports written', 'most for one tick'],
    rows: seen.map(([locking, runs]) => [
      locking,
      runs.length,
      runs.reduce((total, tick) => total + tick.runs, 0),
      most(runs),
    ]),
    remarks: twice.length === 0 ? ['With @LockedCron each tick ran on one process.'] : [],
    failures: twice.map(
      ([locking, runs]) => `With locks ${locking}, a stock report was written ${most(runs)} times for one tick.`,
    ),
  };
}
