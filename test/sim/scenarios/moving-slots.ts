import { hashSlot } from '../../../lib/keys/hash-slot.js';
import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

/** Names of locks in one slot. */
const NAMES = ['{t}a', '{t}b', '{t}c'];
/** The shortest watchdog time-out with which no hold may be lost without a fault. */
const SAFE_TIMEOUT_MS = 1000;

const takeOnce = async (caller: Caller): Promise<void> => {
  const { world, process } = caller;
  const { rng, profile } = world;
  const name = rng.pick(NAMES);
  const lock = rng.chance(0.7) ? process.locks.getLock(name) : process.locks.getSpinLock(name);
  // The move alone must not lose a hold that the watchdog renews.
  const lease = profile.name === 'quiet' || rng.chance(0.7) ? undefined : world.lease();
  await caller.locked(lock, { wait: world.wait(), lease }, async (hold, task) => {
    await caller.work(rng.between(0, 2) * profile.renewedLease, hold.signal);
    if (!rng.chance(0.4)) return;
    await caller.locked(lock, { wait: 20_000, lease, within: task }, (inner) =>
      caller.work(rng.between(0, 300), inner.signal),
    );
  });
};

/** Holds one lock for a long time, so that several are renewed together. */
const hold = async (caller: Caller, name: string): Promise<void> => {
  const { rng, profile } = caller.world;
  const lock = caller.process.locks.getLock(name);
  await caller.locked(lock, { wait: 20_000 }, ({ signal }) =>
    caller.work(rng.between(2, 6) * profile.renewedLease, signal),
  );
};

const moveNowAndThen = ({ rng, simulation, cluster, profile }: SimulatedWorld): void => {
  const longest = rng.pick([5, 100, 1500, 2 * profile.renewedLease]);
  for (let moves = rng.whole(1, 3); moves > 0; moves -= 1) {
    simulation.at(rng.between(0, 4000), () => cluster?.moveSlot(hashSlot('{t}'), () => rng.between(0, longest)));
  }
};

const forbidLoss = ({ processes, simulation }: SimulatedWorld): void => {
  for (const { name, locks } of processes) {
    locks.onEvent((event) => {
      if (event.type === 'lost')
        simulation.violate('kept alive', `${name} has lost ${event.lockName}: ${event.reason}`);
    });
  }
};

/** Locks in one slot of a cluster, which moves from one server to another while they are used. */
export const movingSlots: Scenario = {
  name: 'moving slots',
  mayKill: true,
  setup: (rng) => ({ servers: 2, processes: rng.whole(1, 3), isCluster: true, hasLateWakeUps: true }),
  start: (world) => {
    moveNowAndThen(world);
    const { name, renewedLease } = world.profile;
    // A lease may be lost if it is hardly longer than a redirected command takes.
    if (name === 'quiet' && renewedLease >= SAFE_TIMEOUT_MS) forbidLoss(world);
    const callers = Array.from({ length: world.rng.whole(2, 6) }, () => world.caller());
    const [process] = world.processes;
    const holders = world.rng.chance(0.5) ? NAMES.map((lock) => hold(world.caller(process), lock)) : [];
    return { callers: [...holders, ...callers.map((caller) => repeat(world.rng.whole(1, 3), () => takeOnce(caller)))] };
  },
};
