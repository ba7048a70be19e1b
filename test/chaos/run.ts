import { parseArgs } from 'node:util';
import { cases } from './cases/index.js';
import { checkMutations } from './check-mutations.js';
import type { ChaosCase } from './case.js';
import { keepResults } from './results.js';
import { runCase, titleOf } from './run-case.js';
import { type Row, rowOf, tableOf } from './table.js';
import { TOPOLOGIES, type TopologyName } from './topologies/topology.js';
import type { Verdict } from './verdict.js';

const { values: given } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string' },
    topology: { type: 'string' },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string' },
    scale: { type: 'string' },
    list: { type: 'boolean', default: false },
    mutations: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const isWanted = (id: string): boolean => given.only === undefined || given.only.split(',').includes(id);
const wanted = ({ id, isControl = false }: ChaosCase): boolean => isWanted(id) && !(isControl && !given.only);
const topologiesOf = ({ topologies }: ChaosCase): readonly TopologyName[] =>
  TOPOLOGIES.filter(
    (name) => topologies.includes(name) && (!given.topology || given.topology.split(',').includes(name)),
  );

/** The long set has faults of twice the length, and the quiet case for minutes. */
const runs = Number(given.runs ?? 1);
const scaleOf = ({ longScale = 2 }: ChaosCase): number => Number(given.scale ?? (given.long ? longScale : 1));
const firstSeed = Number(given.seed);

const runAll = async (chaos: ChaosCase, topology: TopologyName): Promise<Verdict[]> => {
  const verdicts: Verdict[] = [];
  const scale = scaleOf(chaos);
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const start = performance.now();
    const verdict = await runCase({ chaos, topology, seed, scale });
    verdicts.push(verdict);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const { violations, acquisitions, grants, worstHandOver } = verdict;
    const how = violations.length === 0 ? 'ok  ' : 'FAIL';
    print(
      `${how} ${titleOf({ chaos, topology })} seed ${seed}: ${acquisitions} acquisitions, ${grants} grants, worst hand-over ${Math.round(worstHandOver)} ms, ${seconds} s – ${chaos.title}`,
    );
    for (const violation of violations.slice(0, 10)) print(`       ${violation}`);
    if (violations.length > 0) {
      print(
        `       again: npm run test:chaos -- --only ${chaos.id} --topology ${topology} --seed ${seed} --runs 1 --scale ${scale}`,
      );
    }
  }
  return verdicts;
};

const main = async (): Promise<void> => {
  if (given.mutations) {
    if (checkMutations(isWanted) > 0) process.exitCode = 1;
    return;
  }
  const chosen = cases.filter(wanted).flatMap((chaos) => topologiesOf(chaos).map((topology) => ({ chaos, topology })));
  if (given.list) {
    for (const { chaos, topology } of chosen) print(`${titleOf({ chaos, topology })} – ${chaos.title}`);
    return;
  }
  const rows: Row[] = [];
  for (const { chaos, topology } of chosen) {
    rows.push(rowOf(chaos.id, chaos.title, topology, await runAll(chaos, topology)));
  }
  const table = tableOf(rows);
  print(`\n${table}\n`);
  if (given.write) keepResults(rows, table, { long: given.long, runs, seed: firstSeed });
  const failed = rows.filter(({ violations }) => violations > 0).length;
  print(`${rows.length - failed} passed, ${failed} failed`);
  if (failed > 0 || rows.length === 0) process.exitCode = 1;
};

process.on('unhandledRejection', (error) => {
  print(`Nobody waited for this: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
  process.exitCode = 1;
});

void main();
