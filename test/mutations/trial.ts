import { spawnSync } from 'node:child_process';
import type { Baseline, KnownSpec } from './baseline.js';
import type { Copies } from './copies.js';
import { placeOf } from './engine.js';
import { explored } from './exploration.js';
import type { Mutation } from './mutation.js';
import { type SpecFailure, SpecWorker } from './spec-worker.js';

/** What became of one mutation. */
export interface Verdict {
  readonly isNoticed: boolean;
  /** The first test that noticed it, or the seed of the explorer, or the compiler. */
  readonly by?: string;
  /** The number of specs that were run on it, of those that reach it. */
  readonly specs: number;
  readonly reaching: number;
  readonly seeds: number;
}

export interface Limits {
  /** Sum of the times that the specs of one mutation took without it, ms. */
  readonly specTime: number;
  readonly seeds: number;
  /** The seeds that are executed on a real server, for Lua. */
  readonly realSeeds: number;
}

/** Folders with the specs of the scripts. Others reach them as well, with servers that are scripted. */
const OF_SCRIPTS = ['test/differential/', 'test/contract/', 'test/inspection/', 'test/probe/', 'test/faults/'];
/** Time limit of one spec or exploration with a mutation: what it takes without, times this, and a pause. */
const SLOWER = 10;
const PAUSE = 30_000;
const MS_A_SEED = 30;

/** Titles of tests may contain the stack of an error, with paths of this machine. */
const firstLine = (title: string): string => title.replace(/\n[^]*$/, '');

const UNTRIED = { specs: 0, reaching: 0, seeds: 0 };

/** Tries mutations one after the other in a copy. */
export class Trials {
  private readonly worker: SpecWorker;

  constructor(
    private readonly copies: Copies,
    private readonly baseline: Baseline,
    private readonly limits: Limits,
  ) {
    this.worker = new SpecWorker(copies.plain);
  }

  async of(mutation: Mutation): Promise<Verdict> {
    try {
      if (!this.copies.apply(mutation)) return { isNoticed: true, by: 'npm run scripts:embed', ...UNTRIED };
      return await this.verdictOn(mutation);
    } finally {
      this.copies.restore(mutation);
    }
  }

  end(): void {
    this.worker.end();
  }

  private async verdictOn(mutation: Mutation): Promise<Verdict> {
    const reaching = this.specsOf(mutation);
    const specs = this.withinTime(reaching);
    const isReal = mutation.file.endsWith('.lua');
    const tried = { specs: specs.length, reaching: reaching.length, seeds: 0 };
    const failure = await this.failureOf(mutation, specs);
    if (failure) return { isNoticed: true, by: `${failure.spec}: ${firstLine(failure.test)}`, ...tried };
    if (isReal || this.baseline.explored.has(placeOf(mutation))) {
      const seeds = isReal ? this.limits.realSeeds : this.limits.seeds;
      const { failure: found } = await explored(
        this.copies.plain,
        { seeds, isReal },
        PAUSE + seeds * MS_A_SEED * SLOWER,
      );
      if (found !== undefined) return { isNoticed: true, by: `explorer: ${found}`, ...tried, seeds };
      tried.seeds = seeds;
    }
    if (!isReal && !this.compiles()) return { isNoticed: true, by: 'npm run typecheck', ...tried };
    return { isNoticed: false, ...tried };
  }

  private specsOf(mutation: Mutation): readonly KnownSpec[] {
    const { specs } = this.baseline;
    if (!mutation.file.endsWith('.lua')) return specs.filter(({ reached }) => reached.has(placeOf(mutation)));
    const scripts = [...this.copies.changedScripts()].map((name) => `script ${name}`);
    return specs.filter(
      ({ spec, reached }) =>
        OF_SCRIPTS.some((folder) => spec.startsWith(folder)) && scripts.some((script) => reached.has(script)),
    );
  }

  private withinTime(specs: readonly KnownSpec[]): readonly KnownSpec[] {
    let time = 0;
    return specs.filter(({ ms }) => (time += ms) <= this.limits.specTime);
  }

  /** The first spec that fails with the mutation, and passes again without it. */
  private async failureOf(mutation: Mutation, specs: readonly KnownSpec[]): Promise<SpecFailure | undefined> {
    let open = specs;
    while (open.length > 0) {
      const slowest = Math.max(...open.map(({ ms }) => ms));
      const limit = PAUSE + slowest * SLOWER;
      const failure = await this.worker.run({ specs: open.map(({ spec }) => spec), limit });
      if (!failure) return undefined;
      this.copies.restore(mutation);
      const again = await this.worker.run({ specs: [failure.spec], limit });
      if (!again) return failure;
      this.copies.apply(mutation);
      open = open.slice(open.findIndex(({ spec }) => spec === failure.spec) + 1);
    }
    return undefined;
  }

  /** Whether the copy compiles. Checked without a mutation first, it says nothing otherwise. */
  compiles(): boolean {
    const compiler = 'node_modules/@typescript/native/bin/tsc';
    const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.json'], { cwd: this.copies.plain });
    return status === 0;
  }
}
