import { drawProfile, quietOf } from './world/profile.js';
import { planFaults } from './world/faults.js';
import { SimulatedWorld } from './world/simulated-world.js';
import { Simulation, type Violation } from './engine/simulation.js';
import { scenarios } from './scenarios/index.js';
import type { RealScripts } from './server/real-scripts.js';
import type { Scenario } from './scenarios/scenario.js';
import { checkLeftovers } from './checks/leftovers.js';
import { withChance } from './engine/chance.js';

/** The longest time that load may take, ms. */
const LOAD_MS = 240_000;
/** Time in which everything comes to rest, ms. */
const CALM_MS = 30 * 60_000;
/** Longer than everything that expires, ms. */
const REST_MS = 2 * 24 * 3_600_000;
/** Time for messages that are under way when a run ends, ms. */
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
  const drawn = drawProfile(rng);
  const profile = scenario.isQuiet ? quietOf(drawn) : drawn;
  simulation.note('run', () => `seed ${simulation.seed}, ${scenario.name}, ${JSON.stringify(profile)}`);
  const world = new SimulatedWorld(simulation, profile, scenario.setup(rng), real);
  planFaults(world, scenario.mayKill);
  let isLoadOver = false;
  const { callers, finish } = scenario.start(world);
  void Promise.all(callers).then(
    () => (isLoadOver = true),
    (error: unknown) => simulation.violate('scenario', error instanceof Error ? (error.stack ?? '') : String(error)),
  );
  const isOver = (): boolean => isLoadOver || world.processes.some(({ isAlive }) => !isAlive);
  const hasEnded = await simulation.run(LOAD_MS, isOver);
  // Callers in a process that died never end.
  if (isOver() && !isLoadOver) await simulation.run(LOAD_MS, () => isLoadOver);
  else if (!hasEnded) simulation.violate('progress', `the load has not ended after ${LOAD_MS} ms`);
  await simulation.run(simulation.now + CALM_MS, () => false);
  simulation.isAtRest = true;
  await simulation.run(simulation.now + REST_MS, () => false);
  simulation.isAtRest = false;
  if (simulation.violations.length > 0) return;
  finish?.();
  checkLeftovers(simulation, world.processes, world.servers);
  await Promise.race([
    Promise.all(world.processes.filter(({ isAlive }) => isAlive).map((process) => process.close())),
    simulation.run(simulation.now + CLOSING_MS, () => false),
  ]);
};

export interface SeedOptions {
  /** Whether the run writes a readable timeline. */
  readonly isTraced?: boolean;
  /** The one scenario to draw from. Default: all. */
  readonly only?: string | undefined;
  /** Real servers that execute each script as well, and have to give the same reply. */
  readonly real?: RealScripts | undefined;
}

/** Executes one run. The seed determines every detail of it. */
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
