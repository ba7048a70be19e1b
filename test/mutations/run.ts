import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ensurePrograms from '../servers/install.js';
import { baselineOf, FOLDERS } from './baseline.js';
import { Copies } from './copies.js';
import { engineMutations } from './engine.js';
import { equivalentTo } from './equivalents.js';
import { type Change, changeOf, isSameChange, type Mutation } from './mutation.js';
import { drawn } from './sample.js';
import { Trials, type Verdict } from './trial.js';

const { values: given } = parseArgs({
  options: {
    sample: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** Draws only from files whose path contains this. */
    only: { type: 'string' },
    /** Folders of test/ with the specs to run, or beginnings of paths there: contract/limit. */
    folders: { type: 'string', default: FOLDERS.join(',') },
    /** Seconds that the specs of one mutation may take, measured without it. */
    'spec-time': { type: 'string', default: '60' },
    seeds: { type: 'string', default: '500' },
    'real-seeds': { type: 'string', default: '200' },
    /** Tries again what was not noticed in an earlier run. */
    again: { type: 'boolean', default: false },
    /** Writes the result to the repository. */
    write: { type: 'boolean', default: false },
  },
});

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RESULTS = fileURLToPath(new URL('./results/sample.json', import.meta.url));

type Tried = Change & Verdict & { readonly line: number };

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const whole = (option: string, text: string): number => {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${option} must be a whole number above 0, not '${text}'`);
};

const triedBefore = (file: string): readonly Tried[] => {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const all = lines.map((line) => JSON.parse(line) as Tried);
  return given.again ? all.filter(({ isNoticed }) => isNoticed) : all;
};

const summaryOf = (sample: readonly Mutation[], tried: readonly Tried[], failing: readonly string[]) => {
  const equivalent = tried.filter((each) => !each.isNoticed && equivalentTo(each));
  const survived = tried.filter((each) => !each.isNoticed && !equivalentTo(each));
  const noticed = tried.filter(({ isNoticed }) => isNoticed);
  const share = noticed.length / Math.max(1, noticed.length + survived.length);
  return {
    seed: whole('seed', given.seed),
    drawn: sample.length,
    tried: tried.length,
    noticed: noticed.length,
    notNoticed: survived.length,
    equivalent: equivalent.length,
    noticedPercent: Math.round(share * 1000) / 10,
    specFolders: given.folders.split(','),
    failingWithoutMutation: failing,
    survivors: survived.map(({ file, line, before, after, specs, reaching, seeds }) => ({
      file,
      line,
      before,
      after,
      specs,
      reaching,
      seeds,
    })),
    equivalents: equivalent.map(({ file, line, before, after }) => ({
      file,
      line,
      before,
      after,
      why: equivalentTo({ file, before, after })?.why,
    })),
    noticedBy: noticed.map(({ file, line, before, after, by }) => ({ file, line, before, after, by })),
  };
};

const main = async (): Promise<void> => {
  const copies = new Copies(ROOT);
  print(`     copies of the tree are in ${copies.plain} and beside it`);
  copies.make();
  ensurePrograms();
  const all = engineMutations(ROOT).filter(({ file }) => given.only === undefined || file.includes(given.only));
  const sample = drawn(all, whole('sample', given.sample), whole('seed', given.seed));
  const baseline = await baselineOf(copies, given.folders.split(','), print);
  print(`     ${all.length} mutations, ${sample.length} drawn; ${baseline.specs.length} specs`);
  for (const spec of baseline.failing) print(`     fails without any mutation, so it is left out: ${spec}`);

  const verdicts = join(copies.state, 'verdicts.jsonl');
  const known = triedBefore(verdicts);
  const trials = new Trials(copies, baseline, {
    specTime: whole('spec-time', given['spec-time']) * 1000,
    seeds: whole('seeds', given.seeds),
    realSeeds: whole('real-seeds', given['real-seeds']),
  });
  if (!trials.compiles()) throw new Error('The tree does not compile without any mutation');
  const tried: Tried[] = [];
  const summary = (): ReturnType<typeof summaryOf> => summaryOf(sample, tried, baseline.failing);
  for (const [index, mutation] of sample.entries()) {
    const change = changeOf(copies.source(mutation.file), mutation);
    let result = known.findLast((each) => isSameChange(each, change));
    if (!result) {
      const verdict: Verdict = equivalentTo(change)
        ? { isNoticed: false, specs: 0, reaching: 0, seeds: 0 }
        : await trials.of(mutation);
      result = { ...change, line: mutation.line, ...verdict };
      appendFileSync(verdicts, `${JSON.stringify(result)}\n`);
    }
    tried.push(result);
    const word = result.isNoticed ? 'noticed' : equivalentTo(change) ? 'equivalent' : 'NOT NOTICED';
    print(
      `${index + 1}/${sample.length} ${word}: ${change.file}:${mutation.line}  ${change.before}  ->  ${change.after}`,
    );
    print(`     ${result.by ?? `${result.specs} of ${result.reaching} specs that reach it, ${result.seeds} seeds`}`);
    if (!given.write) continue;
    mkdirSync(join(RESULTS, '..'), { recursive: true });
    writeFileSync(RESULTS, `${JSON.stringify(summary(), undefined, 2)}\n`);
  }
  trials.end();
  const { noticed, notNoticed, equivalent, noticedPercent } = summary();
  print(`${noticed} noticed, ${notNoticed} not noticed, ${equivalent} equivalent: ${noticedPercent} %`);
};

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    // A worker may still be connected, and would keep this process alive.
    process.exit(2);
  },
);
