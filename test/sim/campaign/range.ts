import { runSeed } from '../run-seed.js';

/** Seeds that are run one after the other. */
export interface Range {
  readonly from: number;
  /** How many. */
  readonly seeds: number;
  /** Every so many-th seed from the first: the others are somebody else's. */
  readonly step: number;
  readonly scenario?: string | undefined;
  /** Whether to stop at the first seed that fails. */
  readonly stopsAtFirst: boolean;
}

/** A seed that failed. */
export interface Failure {
  readonly seed: number;
  readonly scenario: string;
  readonly rule: string;
  readonly what: string;
}

/** What a range, or a part of it, came to. */
export interface Tally {
  seeds: number;
  events: number;
  readonly scenarios: Record<string, number>;
  readonly failures: Failure[];
}

export const emptyTally = (): Tally => ({ seeds: 0, events: 0, scenarios: {}, failures: [] });

export const add = (total: Tally, part: Tally): void => {
  total.seeds += part.seeds;
  total.events += part.events;
  for (const [name, count] of Object.entries(part.scenarios))
    total.scenarios[name] = (total.scenarios[name] ?? 0) + count;
  total.failures.push(...part.failures);
};

/** How many seeds are run between two reports. */
const REPORT_EVERY = 50;

/** @param report Told now and then what has been done since the last report. */
export const runRange = async (
  { from, seeds, step, scenario, stopsAtFirst }: Range,
  report: (part: Tally) => void,
): Promise<void> => {
  let part = emptyTally();
  for (let seed = from; seed < from + seeds; seed += step) {
    const outcome = await runSeed(seed, { only: scenario });
    add(part, {
      seeds: 1,
      events: outcome.events,
      scenarios: { [outcome.scenario]: 1 },
      failures: outcome.violations
        .slice(0, 1)
        .map(({ rule, what }) => ({ seed, scenario: outcome.scenario, rule, what })),
    });
    const isOver = stopsAtFirst && part.failures.length > 0;
    if (part.seeds < REPORT_EVERY && !isOver) continue;
    report(part);
    part = emptyTally();
    if (isOver) return;
  }
  report(part);
};
