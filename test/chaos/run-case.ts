import { mkdirSync, writeFileSync } from 'node:fs';
import type { ChaosCase } from './case.js';
import type { TopologyName } from './topologies/topology.js';
import { start } from './topologies/start.js';
import { usualLoad } from './usual-load.js';
import type { Verdict } from './verdict.js';
import { ChaosRun } from './chaos-run.js';

const FAILURES = new URL('./failures/', import.meta.url);
const DEFAULT_PROCESSES = 3;

export interface CaseRun {
  readonly chaos: ChaosCase;
  readonly topology: TopologyName;
  readonly seed: number;
  readonly scale: number;
}

export const titleOf = ({ chaos, topology }: Pick<CaseRun, 'chaos' | 'topology'>): string => `${chaos.id} ${topology}`;

/** Runs a case once. The output of a failed run is kept, with a log of everything that happened. */
export const runCase = async ({ chaos, topology: name, seed, scale }: CaseRun): Promise<Verdict> => {
  const chaosRun = new ChaosRun(chaos, await start(name, chaos.serverArgs), seed, scale);
  try {
    await chaosRun.startLoad((chaos.load ?? usualLoad)(name), chaos.processes ?? DEFAULT_PROCESSES);
    try {
      await chaos.run(chaosRun);
    } catch (error) {
      chaosRun.expect(
        false,
        `the case itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
    const { verdict, history } = await chaosRun.finish();
    if (verdict.violations.length > 0) {
      mkdirSync(FAILURES, { recursive: true });
      const failure = { case: chaos.id, topology: name, seed, scale, verdict, log: chaosRun.log, history };
      const inJson = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
      writeFileSync(new URL(`${chaos.id}-${name}-${seed}.json`, FAILURES), JSON.stringify(failure, inJson, 1));
    }
    return verdict;
  } finally {
    await chaosRun.close();
  }
};
