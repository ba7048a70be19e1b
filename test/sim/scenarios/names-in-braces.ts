import type { Lock } from '../../../lib/locks/lock.js';
import { watchAskers } from '../checks/askers.js';
import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { Permits, takePermit } from './limits.js';
import { repeat, type Scenario } from './scenario.js';
import { Flights, share } from './single-flights.js';

/** Different locks, for which Redisson uses the same companion keys and channels. */
const NAMES = ['a', '{a}'];

type Once = (caller: Caller, name: string) => Promise<unknown>;

const takeLock = async (caller: Caller, lock: Lock, isFree: () => boolean): Promise<void> => {
  const { rng } = caller.world;
  const request = { lease: rng.pick([0, 300, 2000]) || undefined, wait: rng.pick([30, 1500, 20_000]), isFree };
  await caller.locked(lock, request, (hold) => caller.work(rng.pick([0, 5, 40, 200]) * rng.next(), hold.signal));
};

/** Kinds of what a name may mean. What one name has does not concern the other. */
const KINDS: Readonly<Record<string, (world: SimulatedWorld) => Once>> = {
  plain:
    ({ server }) =>
    (caller, name) =>
      takeLock(caller, caller.process.locks.getLock(name), () => server.wasFreed(name)),
  // In the queue that they share, as in Redisson, a waiter for the other lock may be the first.
  fair: ({ server }) => {
    const isFree = (name: string): boolean => server.wasFreed(name) && NAMES.every((each) => !server.isHeld(each));
    return (caller, name) => takeLock(caller, caller.process.locks.getFairLock(name), () => isFree(name));
  },
  limit: (world) => {
    const permits = new Map(NAMES.map((name) => [name, new Permits(world, 1, name)]));
    return async (caller, name) => {
      const those = permits.get(name);
      if (those) await takePermit(caller, those, world.rng.chance(0.5));
    };
  },
  'single flight': (world) => {
    const flights = new Map(NAMES.map((name) => [name, new Flights(world)]));
    return async (caller, name) => {
      const those = flights.get(name);
      if (those) await share(caller, name, those);
    };
  },
};

/** Two names that differ by their braces only. */
export const namesInBraces: Scenario = {
  name: 'names in braces',
  mayKill: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  start: (world) => {
    const { rng, simulation, server } = world;
    watchAskers(simulation, server, NAMES);
    const once = rng.pick(Object.values(KINDS))(world);
    const callers = Array.from({ length: rng.whole(3, 7) }, () => world.caller());
    return {
      callers: callers.map((caller) => repeat(rng.whole(1, 3), () => once(caller, rng.pick(NAMES)))),
    };
  },
};
