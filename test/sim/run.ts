import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import ensurePrograms from '../servers/install.js';
import { runCampaign } from './campaign/campaign.js';
import type { RangeResult } from './campaign/range.js';
import { checkPlanted } from './planted/check-planted.js';
import { serverNames } from './world/simulated-world.js';
import { RealScripts } from './server/real-scripts.js';
import { runSeed } from './run-seed.js';

const { values: given } = parseArgs({
  options: {
    /** Runs one seed and prints its timeline. */
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '20000' },
    scenario: { type: 'string' },
    jobs: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    /** Plants bugs: all, or one by its name. */
    planted: { type: 'boolean', default: false },
    only: { type: 'string' },
    /** Executes every script on a real Redis server as well. */
    real: { type: 'boolean', default: false },
    /** Writes the results to the repository. */
    write: { type: 'boolean', default: false },
  },
});

const RESULTS = new URL('./results/campaign.json', import.meta.url);

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const whole = (option: string, text: string): number => {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${option} must be a whole number above 0, not '${text}'`);
};

const replay = async (seed: number): Promise<boolean> => {
  const real = given.real ? await RealScripts.start(serverNames) : undefined;
  const { timeline, violations, scenario } = await runSeed(seed, { isTraced: true, only: given.scenario, real });
  await real?.stop();
  print(timeline);
  for (const { rule, what } of violations) print(`FAIL ${scenario}, ${rule}: ${what}`);
  if (violations.length === 0) print(`ok   ${scenario}: nothing found`);
  return violations.length === 0;
};

const explore = async (): Promise<boolean> => {
  if (given.real) ensurePrograms(); // before several processes would install them side by side
  const started = performance.now();
  const from = whole('from', given.from);
  const seeds = whole('seeds', given.seeds);
  const jobs = whole('jobs', given.jobs);
  let nextReport = 5000;
  let told = 0;
  const onProgress = (total: RangeResult): void => {
    for (const { seed, scenario, rule, what } of total.failures.slice(told)) {
      print(`FAIL seed ${seed}, ${scenario}, ${rule}: ${what}`);
      print(`       again: npm run test:sim -- --seed ${seed}`);
    }
    told = total.failures.length;
    if (total.seeds < nextReport) return;
    nextReport += 5000;
    print(`     ${total.seeds} of ${seeds} seeds, ${total.failures.length} failed`);
  };
  const total = await runCampaign({
    from,
    seeds,
    jobs,
    scenario: given.scenario,
    stopsAtFirst: false,
    real: given.real,
    onProgress,
  });
  const seconds = (performance.now() - started) / 1000;
  for (const [scenario, count] of Object.entries(total.scenarios)) print(`     ${scenario}: ${count} seeds`);
  print(`     ${total.events} events in ${seconds.toFixed(0)} s, ${jobs} processes`);
  print(`${total.seeds - total.failures.length} passed, ${total.failures.length} failed`);
  if (given.write) {
    mkdirSync(new URL('.', RESULTS), { recursive: true });
    writeFileSync(RESULTS, `${JSON.stringify({ from, jobs, seconds: Math.round(seconds), ...total }, undefined, 2)}\n`);
  }
  return total.failures.length === 0;
};

const main = (): Promise<boolean> => {
  if (given.seed !== undefined) return replay(whole('seed', given.seed));
  if (given.planted) {
    return checkPlanted({
      seeds: whole('seeds', given.seeds),
      jobs: whole('jobs', given.jobs),
      only: given.only,
      scenario: given.scenario,
      writes: given.write,
    });
  }
  return explore();
};

main().then(
  (isFine) => {
    process.exitCode = isFine ? 0 : 1;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  },
);
