import type { Stage } from './stage.js';

/** Within this time after the start things go wrong, ms. */
const FAULTS_WITHIN_MS = 6000;

type Fault = (stage: Stage) => void;

const pickProcess = ({ rng, processes }: Stage) => rng.pick(processes);

const cut: Fault = (stage) => pickProcess(stage).cutOne(stage.rng.between(1, 400));

const stall: Fault = (stage) =>
  pickProcess(stage).stall(stage.rng.pick([20, 200, 1500, 5000]) * stage.rng.between(0.5, 1));

const freeze: Fault = ({ rng, servers, profile }) =>
  rng.pick(servers).freeze(rng.between(0.2, 2) * profile.commandTimeout);

const setClock: Fault = (stage) => {
  const ms = stage.rng.pick([-5000, -300, 300, 5000]);
  const process = pickProcess(stage);
  process.note(() => `has its wall clock set by ${ms} ms`);
  process.clock.setWall(ms);
};

/** One process is left in any case. */
const kill: Fault = ({ rng, processes }) => {
  const alive = processes.filter(({ isAlive }) => isAlive);
  if (alive.length > 1) rng.pick(alive).kill();
};

/** Plans what goes wrong in this run. */
export const planFaults = (stage: Stage, mayKill: boolean): void => {
  const { rng, simulation, profile } = stage;
  const kinds = [cut, cut, stall, freeze, setClock, ...(mayKill ? [kill] : [])];
  for (let count = profile.faults; count > 0; count -= 1) {
    const fault = rng.pick(kinds);
    simulation.at(rng.between(0, FAULTS_WITHIN_MS) ** rng.pick([1, 0.8]), () => fault(stage));
  }
};
