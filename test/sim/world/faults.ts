import type { SimulatedWorld } from './simulated-world.js';

/** The time after the start within which faults happen, ms. */
const FAULTS_WITHIN_MS = 6000;

type Fault = (world: SimulatedWorld) => void;

const pickProcess = ({ rng, processes }: SimulatedWorld) => rng.pick(processes);

const cut: Fault = (world) => pickProcess(world).cutOne(world.rng.between(1, 400));

const stall: Fault = (world) =>
  pickProcess(world).stall(world.rng.pick([20, 200, 1500, 5000]) * world.rng.between(0.5, 1));

const suspend: Fault = (world) =>
  pickProcess(world).suspend(world.rng.pick([200, 3000, 20_000]) * world.rng.between(0.5, 1));

const freeze: Fault = ({ rng, servers, profile }) =>
  rng.pick(servers).freeze(rng.between(0.2, 2) * profile.commandTimeout);

const setClock: Fault = (world) => {
  const ms = world.rng.pick([-5000, -300, 300, 5000]);
  const process = pickProcess(world);
  process.note(() => `has its wall clock set by ${ms} ms`);
  process.clock.setWall(ms);
};

/** Kills a process, unless it is the last one. */
const kill: Fault = ({ rng, processes }) => {
  const alive = processes.filter(({ isAlive }) => isAlive);
  if (alive.length > 1) rng.pick(alive).kill();
};

/** Draws the faults of this run. */
export const planFaults = (world: SimulatedWorld, mayKill: boolean): void => {
  const { rng, simulation, profile } = world;
  // Time during which a machine is suspended, and its wall clock set back, cannot be known.
  const kinds = [cut, cut, stall, freeze, rng.pick([suspend, setClock]), ...(mayKill ? [kill] : [])];
  for (let count = profile.faults; count > 0; count -= 1) {
    const fault = rng.pick(kinds);
    simulation.at(rng.between(0, FAULTS_WITHIN_MS) ** rng.pick([1, 0.8]), () => fault(world));
  }
};
