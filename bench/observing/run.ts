import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RedisServer } from '../../test/servers/redis/redis-server.js';
import { Worker } from '../../test/servers/worker/worker.js';
import { UNOBSERVED_COMMIT } from '../adapters/observed-nest-redis-lock.adapter.js';
import { OBSERVED, OURS, UNOBSERVED } from '../libraries.js';
import { machineFacts } from '../report/machine.js';
import { markdownTable } from '../report/table.js';
import { buildEarlier } from '../set-up/earlier-build.js';
import { nodeBinaries } from '../set-up/node-binary.js';
import { assertPinnable, pin } from '../set-up/pinning.js';
import { CLIENT_CORE, SERVER_CORE, setUps } from '../set-up/set-up.js';
import { type Comparison, comparisonTable } from './in-one-process.js';
import { LOADS, type SlicesDone, type SlicesTask } from './slices.js';

type Tasks = { slices(task: SlicesTask): Promise<SlicesDone> };

const MS_PER_MINUTE = 60_000;
const SLICE_MS = 10;
const folder = new URL('.', import.meta.url);

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '5' },
    slices: { type: 'string', default: '50' },
    only: { type: 'string', default: LOADS.map(({ scenario }) => scenario).join(',') },
    backends: { type: 'string', default: 'memory,redis' },
    builds: { type: 'string', default: [OURS, ...OBSERVED].join(',') },
    write: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Both builds in a new process, since V8 compiles the code of each process a little differently. */
async function compare(server: RedisServer, backend: string, build: string, task: SlicesTask): Promise<SlicesDone> {
  const { host, port } = server;
  const options = { inMemory: backend === 'memory' };
  const args = [UNOBSERVED, build, JSON.stringify({ host, port }), JSON.stringify(options)];
  const worker = await Worker.start<Tasks>(new URL('slices.worker.ts', folder), { args });
  try {
    pin(worker.pid, CLIENT_CORE);
    return await worker.call('slices', task);
  } finally {
    await worker.stop();
  }
}

async function compareAll(server: RedisServer): Promise<readonly Comparison[]> {
  const loads = LOADS.filter(({ scenario }) => values.only.split(',').includes(scenario));
  const comparisons = loads.flatMap(({ scenario }) =>
    values.backends
      .split(',')
      .flatMap((backend) =>
        values.builds.split(',').map((build) => ({ scenario, backend, build, processes: [] as SlicesDone[] })),
      ),
  );
  for (let round = 1; round <= Number(values.processes); round++) {
    say(`Processes ${round}/${values.processes} of ${comparisons.length} comparisons`);
    for (const { scenario, backend, build, processes } of comparisons) {
      const load = loads.find((each) => each.scenario === scenario);
      if (!load) continue;
      const task = { ...load, ms: SLICE_MS, slices: Number(values.slices) };
      processes.push(await compare(server, backend, build, task));
    }
  }
  return comparisons;
}

/** Three digits are more than the clock of the processor time has. */
const rounded = (comparisons: readonly Comparison[]): unknown =>
  JSON.parse(
    JSON.stringify(comparisons, (_, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(3)) : value)),
  );

async function main(): Promise<void> {
  assertPinnable();
  buildEarlier(UNOBSERVED_COMMIT);
  const facts = machineFacts([], setUps(nodeBinaries([]), true).slice(0, 1));
  const start = performance.now();
  const server = await RedisServer.start();
  pin(server.pid, SERVER_CORE);
  const comparisons = await compareAll(server);
  await server.stop();
  const table = comparisonTable(comparisons);
  process.stdout.write(`${table}\n`);
  if (!values.write) return;
  const file = `${values.backends},${values.only}`.replaceAll(',', '-');
  const run = {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    command: ['node test/servers/register.cjs bench/observing/run.ts', ...process.argv.slice(2)].join(' '),
    minutes: (performance.now() - start) / MS_PER_MINUTE,
    facts,
  };
  writeFileSync(new URL(`${file}.json`, folder), `${JSON.stringify({ ...run, comparisons: rounded(comparisons) })}\n`);
  writeFileSync(
    new URL(`${file}.md`, folder),
    [
      '# What observing costs',
      `Written by \`${run.command}\` on ${run.date}, at commit ${run.commit}, in ${run.minutes.toFixed(0)} minutes. ` +
        `Processor time of the client for a pair, against the build of ${UNOBSERVED_COMMIT}, which cannot be observed: ` +
        `both in one process, in turn for ${SLICE_MS} ms, ${values.slices} times, in ${values.processes} processes for each ` +
        'line. Medians of the slices, then of the processes, with min..max of the processes.',
      markdownTable(
        ['machine', ''],
        Object.entries(facts).filter(([name]) => name !== 'peers' && name !== 'Java'),
      ),
      table,
      '',
    ].join('\n\n'),
  );
}

void main();
