import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'a';
const WAIT_MS = 90_000;

/** A short job under a lock with a much longer minimum hold. Its connection may break when it ends. */
const job = async (caller: Caller): Promise<void> => {
  const { world, process } = caller;
  const { rng, profile } = world;
  await caller.locked(process.locks.getLock(NAME), { wait: WAIT_MS }, async (hold) => {
    world.minimums.keep(caller, hold, rng.pick([4000, 10_000]));
    const ms = rng.between(0, 300);
    if (profile.name !== 'quiet' && rng.chance(0.5)) {
      const { now } = world.simulation;
      world.simulation.at(now + ms + rng.between(-2, 2) * profile.delays.usual[1], () =>
        process.cutOne(rng.between(1, 100)),
      );
    }
    await caller.work(ms, hold.signal);
  });
};

/** Jobs that hold their lock for a minimum time, so that a process whose clock is late does not repeat them. */
export const minimumHolds: Scenario = {
  name: 'minimum holds',
  mayKill: false,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3), hasLateWakeUps: true }),
  start: (world: SimulatedWorld) => {
    const callers = Array.from({ length: world.rng.whole(2, 4) }, () => world.caller());
    return { callers: callers.map((caller) => repeat(world.rng.whole(1, 2), () => job(caller))) };
  },
};
