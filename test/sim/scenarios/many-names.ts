import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const nameOf = (index: number): string => `n${index}`;

/** The shortest watchdog time-out with which no hold may be lost without a fault. */
const SAFE_TIMEOUT_MS = 1000;

const takeOnce = async (caller: Caller, name: string): Promise<void> => {
  const { world, process } = caller;
  const { rng, profile, server } = world;
  const lock = process.locks.getLock(name);
  const request = { wait: rng.pick([200, 1500, 60_000]), isFree: () => server.wasFreed(name) };
  await caller.locked(lock, request, (hold) =>
    caller.work(rng.pick([5, 100, 1.5 * profile.renewedLease]) * rng.between(0.2, 1), hold.signal),
  );
};

const forbidLoss = ({ processes, simulation }: SimulatedWorld): void => {
  for (const { name, locks } of processes) {
    locks.onEvent((event) => {
      if (event.type === 'lost')
        simulation.violate('kept alive', `${name} has lost ${event.lockName}: ${event.reason}`);
    });
  }
};

/** Many names at once: a process holds some and waits for others. What happens to one does not concern the others. */
export const manyNames: Scenario = {
  name: 'many names',
  mayKill: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  start: (world) => {
    const { rng, profile } = world;
    if (profile.name === 'quiet' && profile.renewedLease >= SAFE_TIMEOUT_MS) forbidLoss(world);
    const count = rng.whole(5, 9);
    const callers = Array.from({ length: 2 * count }, () => world.caller());
    return {
      callers: callers.map((caller) => repeat(rng.whole(1, 2), () => takeOnce(caller, nameOf(rng.whole(1, count))))),
    };
  },
};
