import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Copies } from './copies.js';
import { explored } from './exploration.js';
import { type SpecResult, SpecWorker } from './spec-worker.js';

/** The folders of specs of the engine, or beginnings of paths. Those without servers come first. */
export const FOLDERS = [
  'waiting',
  'holds',
  'watchdog',
  'reentrancy',
  'synchronizers',
  'coordination',
  'backend',
  'deadlock',
  'primitives',
  'contract',
  'differential',
  'inspection',
  'probe',
  'errors',
  'observability',
  'fencing',
  'nest',
  'faults',
  'topologies',
  'drivers',
];

/** Time limit of one spec, ms. */
const SPEC_LIMIT = 180_000;
const EXPLORED_SEEDS = 300;

/** A spec that passes without any mutation, and where it goes. */
export interface KnownSpec {
  readonly spec: string;
  readonly ms: number;
  readonly reached: ReadonlySet<string>;
}

export interface Baseline {
  /** The quickest first. */
  readonly specs: readonly KnownSpec[];
  /** The specs that fail without any mutation: they say nothing. */
  readonly failing: readonly string[];
  readonly explored: ReadonlySet<string>;
}

interface Recorded extends SpecResult {
  /** Fingerprint of the spec. */
  readonly hash: string;
}

/** @param beginning Of paths below test/. */
const specsOf = (root: string, beginning: string): readonly string[] =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts') && file.startsWith(beginning))
    .map((file) => join('test', file))
    .toSorted();

const readLines = (file: string): readonly unknown[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown)
    : [];

/** Runs specs and explorer without any mutation, except for those that ran before in the same state. */
export const baselineOf = async (
  copies: Copies,
  folders: readonly string[],
  print: (line: string) => void,
): Promise<Baseline> => {
  const file = join(copies.state, 'baseline.jsonl');
  const known = new Map<string, Recorded>();
  for (const result of readLines(file) as readonly Recorded[]) known.set(result.spec, result);
  const specs = folders.flatMap((folder) => specsOf(copies.probed, folder));
  const isKnown = (spec: string): boolean => known.get(spec)?.hash === copies.hashOfSpec(spec);
  const record = (result: SpecResult): void => {
    const recorded = { ...result, hash: copies.hashOfSpec(result.spec) };
    known.set(result.spec, recorded);
    appendFileSync(file, `${JSON.stringify(recorded)}\n`);
  };
  const worker = new SpecWorker(copies.probed, true);
  for (const folder of folders) {
    const open = specsOf(copies.probed, folder).filter((spec) => !isKnown(spec));
    // Without any spec, jest would run all.
    if (open.length === 0) continue;
    print(`     baseline: ${open.length} specs of test/${folder}`);
    await worker.run({ specs: open, limit: SPEC_LIMIT, onEnded: record });
    // One that hung or ended the process fails, and is what the next run begins behind.
    for (const spec of open.filter((each) => !isKnown(each))) {
      await worker.run({ specs: [spec], limit: SPEC_LIMIT, onEnded: record });
      if (!isKnown(spec)) record({ spec, ms: SPEC_LIMIT, hasFailed: true, reached: [] });
    }
  }
  worker.end();
  const results = specs.flatMap((spec) => known.get(spec) ?? []);
  const passing = results.filter(({ hasFailed }) => !hasFailed).toSorted((one, other) => one.ms - other.ms);
  return {
    specs: passing.map(({ spec, ms, reached }) => ({ spec, ms, reached: new Set(reached) })),
    failing: results.filter(({ hasFailed }) => hasFailed).map(({ spec }) => spec),
    explored: await exploredBy(copies),
  };
};

const exploredBy = async (copies: Copies): Promise<ReadonlySet<string>> => {
  const file = join(copies.state, 'explored.jsonl');
  const [places] = readLines(file) as readonly (readonly string[])[];
  if (places) return new Set(places);
  const { failure, reached } = await explored(copies.probed, { seeds: EXPLORED_SEEDS, isReal: false }, SPEC_LIMIT * 2);
  if (failure !== undefined) throw new Error(`The explorer fails without any mutation: ${failure}`);
  appendFileSync(file, `${JSON.stringify(reached)}\n`);
  return new Set(reached);
};
