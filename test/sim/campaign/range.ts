import { serverNames } from '../world/simulated-world.js';
import { RealScripts } from '../server/real-scripts.js';
import { runSeed } from '../run-seed.js';

/** Seeds that one process runs, one after the other. */
export interface Range {
  readonly from: number;
  /** The number of seeds, including those of other processes. */
  readonly seeds: number;
  /** The distance between two seeds. Other processes run the seeds in between. */
  readonly step: number;
  readonly scenario?: string | undefined;
  /** Whether to stop at the first seed that fails. */
  readonly stopsAtFirst: boolean;
  /** Whether every script is executed on a real server as well. */
  readonly real: boolean;
}

/** A seed that failed. */
export interface Failure {
  readonly seed: number;
  readonly scenario: string;
  readonly rule: string;
  readonly what: string;
}

/** The result of a range, or of a part of it. */
export interface RangeResult {
  seeds: number;
  events: number;
  readonly scenarios: Record<string, number>;
  readonly failures: Failure[];
}

export const emptyResult = (): RangeResult => ({ seeds: 0, events: 0, scenarios: {}, failures: [] });

export const add = (total: RangeResult, part: RangeResult): void => {
  total.seeds += part.seeds;
  total.events += part.events;
  for (const [name, count] of Object.entries(part.scenarios))
    total.scenarios[name] = (total.scenarios[name] ?? 0) + count;
  total.failures.push(...part.failures);
};

/** The number of seeds between two reports. */
const REPORT_EVERY = 50;

/** @param report Called repeatedly with the result since its last call. */
export const runRange = async (range: Range, report: (part: RangeResult) => void): Promise<void> => {
  const real = range.real ? await RealScripts.start(serverNames) : undefined;
  try {
    await runSeeds(range, real, report);
  } finally {
    await real?.stop();
  }
};

const runSeeds = async (
  { from, seeds, step, scenario, stopsAtFirst }: Range,
  real: RealScripts | undefined,
  report: (part: RangeResult) => void,
): Promise<void> => {
  let part = emptyResult();
  for (let seed = from; seed < from + seeds; seed += step) {
    const { events, scenario: name, violations } = await runSeed(seed, { only: scenario, real });
    const failures = violations.slice(0, 1).map(({ rule, what }) => ({ seed, scenario: name, rule, what }));
    add(part, { seeds: 1, events, scenarios: { [name]: 1 }, failures });
    const isOver = stopsAtFirst && part.failures.length > 0;
    if (part.seeds < REPORT_EVERY && !isOver) continue;
    report(part);
    part = emptyResult();
    if (isOver) return;
  }
  report(part);
};
