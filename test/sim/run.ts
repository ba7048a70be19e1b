import { parseArgs } from 'node:util';
import { runSeed } from './run-seed.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1000' },
    scenario: { type: 'string' },
  },
});

const main = async (): Promise<void> => {
  if (values.seed !== undefined) {
    const outcome = await runSeed(Number(values.seed), true, values.scenario);
    console.log(outcome.timeline);
    console.log(outcome.violations);
    return;
  }
  const started = performance.now();
  const from = Number(values.from);
  const to = from + Number(values.seeds);
  let events = 0;
  const found = new Map<string, number[]>();
  for (let seed = from; seed < to; seed += 1) {
    const outcome = await runSeed(seed, false, values.scenario);
    events += outcome.events;
    for (const { rule } of outcome.violations)
      found.set(`${outcome.scenario} ${outcome.profile} ${rule}`, [
        ...(found.get(`${outcome.scenario} ${outcome.profile} ${rule}`) ?? []),
        seed,
      ]);
  }
  for (const [rule, seeds] of found) console.log(rule, seeds.length, seeds.slice(0, 10).join(' '));
  console.log(
    `${values.seeds} seeds, ${events} events, ${((performance.now() - started) / Number(values.seeds)).toFixed(2)} ms each`,
  );
};

void main();
