import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { RedisServer } from '../servers/redis/redis-server.js';
import { Worker } from '../servers/worker/worker.js';
import type { api as loadApi, LoadCounts } from './load.worker.js';
import type { api as nestingApi, NestedOutcome } from './nesting.worker.js';

const { values: given } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    processes: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});

const PROGRESS_MS = 10_000;
/** How long locks are acquired in any order, to see that deadlocks are found in the same load. */
const UNORDERED_MS = 15_000;
const RESOLVED_WITHIN_MS = 2500;

const minutes = Number(given.minutes);
const processes = Number(given.processes);
const seed = Number(given.seed);

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const total = (all: readonly LoadCounts[]): LoadCounts => ({
  acquisitions: all.reduce((sum, { acquisitions }) => sum + acquisitions, 0),
  watched: all.reduce((sum, { watched }) => sum + watched, 0),
  longest: Math.max(...all.map(({ longest }) => longest)),
  timeouts: all.reduce((sum, { timeouts }) => sum + timeouts, 0),
  unavailable: all.reduce((sum, { unavailable }) => sum + unavailable, 0),
  reports: all.flatMap(({ reports }) => reports),
});

const described = ({ acquisitions, watched, longest, timeouts, unavailable, reports }: LoadCounts): string =>
  `${acquisitions} acquisitions, ${watched} watched waits, longest wait ${longest} ms, ${timeouts} time-outs, ${unavailable} unavailable, ${reports.length} reports`;

/** Runs the load in processes of their own. */
const load = async (url: string, ms: number, isOrdered: boolean): Promise<LoadCounts> => {
  const file = new URL('./load.worker.ts', import.meta.url);
  const workers = await Promise.all(
    Array.from({ length: processes }, () => Worker.start<typeof loadApi>(file, { args: [url] })),
  );
  await Promise.all(workers.map((worker) => worker.call('connected')));
  const started = performance.now();
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    Promise.all(workers.map((worker) => worker.call('counts'))).then(
      (all) => print(`${seconds} s: ${described(total(all))}`),
      (error: unknown) => print(String(error)),
    );
  }, PROGRESS_MS);
  try {
    return total(await Promise.all(workers.map((worker, index) => worker.call('run', ms, seed + index, isOrdered))));
  } finally {
    clearInterval(progress);
    await Promise.all(workers.map((worker) => worker.call('close').then(() => worker.stop())));
  }
};

/** Milliseconds until one of so many processes, which wait for each other in a circle, has given up. */
const resolve = async (url: string, count: number): Promise<number> => {
  const file = new URL('./nesting.worker.ts', import.meta.url);
  const workers = await Promise.all(
    Array.from({ length: count }, () => Worker.start<typeof nestingApi>(file, { args: [url] })),
  );
  const lock = (index: number): { kind: 'lock'; name: string } => ({ kind: 'lock', name: `circle${index % count}` });
  await Promise.all(workers.map((worker) => worker.call('connected')));
  await Promise.all(workers.map((worker, index) => worker.call('hold', lock(index))));
  const outcomes: readonly NestedOutcome[] = await Promise.all(
    workers.map((worker, index) => worker.call('waitFor', lock(index + 1))),
  );
  await Promise.all(workers.map((worker) => worker.stop()));
  const victims = outcomes.filter(({ outcome }) => outcome === 'deadlock');
  if (victims.length !== 1)
    throw new Error(`${victims.length} of ${count} processes gave up: ${JSON.stringify(outcomes)}`);
  return victims[0]?.waited ?? Number.NaN;
};

/** Resolves with what is wrong. */
const findProblems = async (url: string): Promise<readonly string[]> => {
  const problems: string[] = [];
  const resolvedMs = { two: await resolve(url, 2), three: await resolve(url, 3) };
  print(`A deadlock of two processes ended after ${resolvedMs.two} ms, one of three after ${resolvedMs.three} ms`);
  for (const ms of Object.values(resolvedMs)) if (ms > RESOLVED_WITHIN_MS) problems.push(`A deadlock lasted ${ms} ms`);

  print(`${processes} processes acquire locks in one order for ${minutes} minute(s), seed ${seed}`);
  const ordered = await load(url, minutes * 60_000, true);
  print(`Ordered: ${described(ordered)}`);
  for (const report of ordered.reports) problems.push(`Reported, although all locks were in order: ${report}`);
  if (ordered.watched === 0) problems.push('No wait was long enough to be watched');

  const unordered = await load(url, UNORDERED_MS, false);
  const deadlocks = unordered.reports.filter((report) => report.startsWith('deadlock')).length;
  print(`In any order: ${described(unordered)}, of which ${deadlocks} deadlocks`);
  if (deadlocks === 0) problems.push('No deadlock was found in any order');

  if (given.write) {
    const { reports, ...counts } = ordered;
    const machine = { node: process.version, cores: cpus().length };
    const results = {
      minutes,
      processes,
      seed,
      machine,
      resolvedMs,
      ordered: { ...counts, reports: reports.length },
      unordered: { seconds: UNORDERED_MS / 1000, acquisitions: unordered.acquisitions, deadlocks },
    };
    writeFileSync(new URL('./results.json', import.meta.url), `${JSON.stringify(results, undefined, 2)}\n`);
  }
  return problems;
};

const main = async (): Promise<void> => {
  const server = await RedisServer.start();
  try {
    const problems = await findProblems(server.url);
    for (const problem of problems) print(`FAIL ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await server.stop();
  }
};

process.on('unhandledRejection', (error) => {
  print(`A rejection was not handled: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
  process.exitCode = 1;
});

void main();
