import type { ChaosCase } from '../case.js';
import { runCase, titleOf } from '../run-case.js';
import { type Row, rowOf } from '../table.js';
import type { TopologyName } from '../topologies/topology.js';
import type { Verdict } from '../verdict.js';

/** One case on one topology, with one seed after the other. */
export interface CaseSeries {
  readonly id: string;
  readonly topology: TopologyName;
  readonly firstSeed: number;
  readonly runs: number;
  /** How much longer the faults are than in the short set. */
  readonly scale: number;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs the case and prints a line for each seed. */
export const runSeeds = async (chaos: ChaosCase, { topology, firstSeed, runs, scale }: CaseSeries): Promise<Row> => {
  const verdicts: Verdict[] = [];
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const start = performance.now();
    const verdict = await runCase({ chaos, topology, seed, scale });
    verdicts.push(verdict);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const { violations, acquisitions, grants, worstHandOver } = verdict;
    const how = violations.length === 0 ? 'ok  ' : 'FAIL';
    const lines = [
      `${how} ${titleOf({ chaos, topology })} seed ${seed}: ${acquisitions} acquisitions, ${grants} grants, worst hand-over ${Math.round(worstHandOver)} ms, ${seconds} s – ${chaos.title}`,
      ...violations.slice(0, 10).map((violation) => `       ${violation}`),
    ];
    if (violations.length > 0) {
      lines.push(
        `       again: npm run test:chaos -- --only ${chaos.id} --topology ${topology} --seed ${seed} --runs 1 --scale ${scale}`,
      );
    }
    // In one piece: other processes print as well.
    print(lines.join('\n'));
  }
  return rowOf(chaos.id, chaos.title, topology, verdicts);
};
