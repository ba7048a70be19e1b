import { drawProfile } from './stage/profile.js';
import { planFaults } from './stage/faults.js';
import { Stage } from './stage/stage.js';
import { Simulation, type Violation } from './engine/simulation.js';
import { scenarios } from './scenarios/index.js';
import type { RealScripts } from './server/real-scripts.js';
import type { Scenario } from './scenarios/scenario.js';
import { checkLeftovers } from './checks/leftovers.js';
import { withChance } from './engine/chance.js';

/** Load that has not ended after so long never will, ms. */
const LOAD_MS = 240_000;
/** Within this time everything comes to rest, ms. */
const CALM_MS = 30 * 60_000;
/** Longer than everything that ends by itself, ms. */
const REST_MS = 2 * 24 * 3_600_000;
/** Time for messages that are on their way when a run ends, ms. */
const CLOSING_MS = 10_000;

export interface Outcome {
  readonly seed: number;
  readonly scenario: string;
  readonly violations: readonly Violation[];
  readonly timeline: string;
  readonly events: number;
}

const runOn = async (simulation: Simulation, scenario: Scenario, real: RealScripts | undefined): Promise<void> => {
  const { rng } = simulation;
  const profile = drawProfile(rng);
  simulation.note('run', () => `seed ${simulation.seed}, ${scenario.name}, ${JSON.stringify(profile)}`);
  const stage = new Stage(simulation, profile, scenario.cast(rng), real);
  planFaults(stage, scenario.mayKill);
  let isPlayed = false;
  const { actors, finish } = scenario.play(stage);
  void Promise.all(actors).then(
    () => (isPlayed = true),
    (error: unknown) => simulation.violate('scenario', error instanceof Error ? (error.stack ?? '') : String(error)),
  );
  const isOver = (): boolean => isPlayed || stage.processes.some(({ isAlive }) => !isAlive);
  const hasEnded = await simulation.run(LOAD_MS, isOver);
  // Actors of a process that died never come to an end.
  if (isOver() && !isPlayed) await simulation.run(LOAD_MS, () => isPlayed);
  else if (!hasEnded) simulation.violate('progress', `the load has not ended after ${LOAD_MS} ms`);
  await simulation.run(simulation.now + CALM_MS, () => false);
  simulation.isAtRest = true;
  await simulation.run(simulation.now + REST_MS, () => false);
  simulation.isAtRest = false;
  if (simulation.violations.length > 0) return;
  finish?.();
  checkLeftovers(simulation, stage.processes, stage.servers);
  await Promise.race([
    Promise.all(stage.processes.filter(({ isAlive }) => isAlive).map((process) => process.close())),
    simulation.run(simulation.now + CLOSING_MS, () => false),
  ]);
};

export interface SeedOptions {
  /** Whether a readable timeline is kept. */
  readonly isTraced?: boolean;
  /** The one scenario to draw from. Default: all. */
  readonly only?: string | undefined;
  /** Executes each script as well and has to reply the same. */
  readonly real?: RealScripts | undefined;
}

/** One run, which the seed decides in every detail. */
export const runSeed = async (seed: number, { isTraced = false, only, real }: SeedOptions = {}): Promise<Outcome> => {
  const simulation = new Simulation(seed, isTraced);
  const possible = only === undefined ? scenarios : scenarios.filter(({ name }) => name === only);
  if (possible.length === 0) throw new Error(`There is no scenario '${only}'`);
  const scenario = simulation.rng.pick(possible);
  await real?.reset();
  await withChance(simulation.rng, () => runOn(simulation, scenario, real));
  const { violations, timeline, events } = simulation;
  return { seed, scenario: scenario.name, violations, timeline: timeline.toString(), events };
};
