import type { Caller } from '../world/caller.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'a';

const takeOnce = async (caller: Caller, isSpinning: boolean): Promise<void> => {
  const { world, process } = caller;
  const { rng, server, profile } = world;
  const lock = isSpinning ? process.locks.getSpinLock(NAME) : process.locks.getLock(NAME);
  // A caller that spins looks by itself. A spin lock tells nobody but clients that can be given the lock.
  const isFree = (): boolean => !isSpinning && profile.handover && server.wasFreed(NAME);
  const signal = rng.chance(0.2) ? caller.abortsWithin(rng.pick([20, 400])) : undefined;
  await caller.locked(lock, { wait: rng.pick([200, 1500, 60_000]), signal, isFree }, (hold) =>
    caller.work(rng.pick([0, 5, 40, 200]) * rng.between(0.2, 1), hold.signal),
  );
  await caller.work(rng.pick([0, 5, 100]) * rng.next());
};

/** Callers that take a lock as a spin lock beside others that wait for it in turn. */
export const spinBesidePlain: Scenario = {
  name: 'spin beside plain',
  mayKill: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  start: (world) => {
    const { rng } = world;
    const callers = Array.from({ length: rng.whole(3, 7) }, (_, index) => ({
      caller: world.caller(),
      isSpinning: index % 2 === 0,
    }));
    return {
      callers: callers.map(({ caller, isSpinning }) => repeat(rng.whole(1, 4), () => takeOnce(caller, isSpinning))),
    };
  },
};
