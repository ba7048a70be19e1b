import { hashSlot } from '../../../lib/keys/hash-slot.js';
import type { Actor } from '../stage/actor.js';
import type { Stage } from '../stage/stage.js';
import { repeat, type Scenario } from './scenario.js';

/** Locks of one slot. */
const NAMES = ['{t}a', '{t}b', '{t}c'];
/** From this watchdog time-out on no hold may be lost without a fault. */
const SAFE_TIMEOUT_MS = 1000;

const takeOnce = async (actor: Actor): Promise<void> => {
  const { stage, process } = actor;
  const { rng, profile } = stage;
  const name = rng.pick(NAMES);
  const lock = rng.chance(0.7) ? process.locks.getLock(name) : process.locks.getSpinLock(name);
  // A hold that only the watchdog keeps must not be lost where nothing but the move goes on.
  const lease = profile.name === 'quiet' || rng.chance(0.7) ? undefined : stage.lease();
  await actor.locked(lock, { wait: stage.wait(), lease }, async (hold, task) => {
    await actor.work(rng.between(0, 2) * profile.watchdogTimeout, hold.signal);
    if (!rng.chance(0.4)) return;
    await actor.locked(lock, { wait: 20_000, lease, within: task }, (inner) =>
      actor.work(rng.between(0, 300), inner.signal),
    );
  });
};

/** Holds one lock for long, so that several are renewed together. */
const hold = async (actor: Actor, name: string): Promise<void> => {
  const { rng, profile } = actor.stage;
  const lock = actor.process.locks.getLock(name);
  await actor.locked(lock, { wait: 20_000 }, ({ signal }) =>
    actor.work(rng.between(2, 6) * profile.watchdogTimeout, signal),
  );
};

const moveNowAndThen = ({ rng, simulation, cluster, profile }: Stage): void => {
  const longest = rng.pick([5, 100, 1500, 2 * profile.watchdogTimeout]);
  for (let moves = rng.whole(1, 3); moves > 0; moves -= 1) {
    simulation.at(rng.between(0, 4000), () => cluster?.moveSlot(hashSlot('{t}'), () => rng.between(0, longest)));
  }
};

const forbidLoss = ({ processes, simulation }: Stage): void => {
  for (const { name, locks } of processes) {
    locks.onEvent((event) => {
      if (event.type === 'lost')
        simulation.violate('kept alive', `${name} has lost ${event.lockName}: ${event.reason}`);
    });
  }
};

/** Locks of one slot of a cluster, which moves from one server to another while they are used. */
export const movingSlots: Scenario = {
  name: 'moving slots',
  mayKill: true,
  cast: (rng) => ({ servers: 2, processes: rng.whole(1, 3), isCluster: true, isTroubled: true }),
  play: (stage) => {
    moveNowAndThen(stage);
    const { name, watchdogTimeout } = stage.profile;
    // A lease that is hardly longer than a redirected command takes may be lost.
    if (name === 'quiet' && watchdogTimeout >= SAFE_TIMEOUT_MS) forbidLoss(stage);
    const crowd = Array.from({ length: stage.rng.whole(2, 6) }, () => stage.actor());
    const [process] = stage.processes;
    const holders = stage.rng.chance(0.5) ? NAMES.map((lock) => hold(stage.actor(process), lock)) : [];
    return { actors: [...holders, ...crowd.map((actor) => repeat(stage.rng.whole(1, 3), () => takeOnce(actor)))] };
  },
};
