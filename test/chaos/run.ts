import { parseArgs } from 'node:util';
import ensurePrograms from '../servers/install.js';
import { cases } from './cases/index.js';
import { runCampaign } from './campaign/campaign.js';
import type { ChaosCase } from './case.js';
import { checkMutations } from './check-mutations.js';
import { keepResults } from './results.js';
import { titleOf } from './run-case.js';
import { tableOf } from './table.js';
import { TOPOLOGIES, type TopologyName } from './topologies/topology.js';

const { values: given } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string' },
    topology: { type: 'string' },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string' },
    scale: { type: 'string' },
    jobs: { type: 'string', default: '1' },
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
/** The number of cases at the same time. */
const jobs = Number(given.jobs);

const main = async (): Promise<void> => {
  if (!given.list) ensurePrograms(); // before several cases would install them side by side
  if (given.mutations) {
    if ((await checkMutations(isWanted, jobs)) > 0) process.exitCode = 1;
    return;
  }
  const chosen = cases.filter(wanted).flatMap((chaos) => topologiesOf(chaos).map((topology) => ({ chaos, topology })));
  if (given.list) {
    for (const { chaos, topology } of chosen) print(`${titleOf({ chaos, topology })} – ${chaos.title}`);
    return;
  }
  const { rows, crashed } = await runCampaign(
    chosen.map(({ chaos, topology }) => ({ id: chaos.id, topology, firstSeed, runs, scale: scaleOf(chaos) })),
    jobs,
  );
  const table = tableOf(rows);
  print(`\n${table}\n`);
  if (given.write) keepResults(rows, table, { long: given.long, runs, seed: firstSeed });
  const failed = rows.filter(({ violations }) => violations > 0).length;
  print(`${rows.length - failed} passed, ${failed} failed`);
  if (failed > 0 || crashed || rows.length === 0) process.exitCode = 1;
};

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 2;
});
