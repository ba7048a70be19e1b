import type { Hold } from '../../../lib/holds/hold.js';
import type { Lock } from '../../../lib/locks/lock.js';
import type { Rng } from '../../chaos/rng.js';
import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const NAMES = ['a', 'b', 'c', 'd'];

const shuffled = <T>(rng: Rng, items: readonly T[]): readonly T[] =>
  items
    .map((item) => ({ item, order: rng.next() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);

/** The lock of this name, on the server that the name determines. */
const lockOf = ({ process, world }: Caller, name: string): Lock => {
  const index = NAMES.indexOf(name) % world.servers.length;
  const server = world.servers[index];
  return (server && index > 0 ? process.locks.forConnection(server.name) : process.locks).getLock(name);
};

const together = (caller: Caller): Lock => {
  const { rng } = caller.world;
  const names = shuffled(rng, NAMES).slice(0, rng.whole(2, 3));
  return caller.process.locks.getMultiLock(...names.map((name) => lockOf(caller, name)));
};

const majority = (caller: Caller): Lock =>
  caller.process.locks.getMajorityLock(...['a', 'b', 'c'].map((name) => lockOf(caller, name)));

const takeOnce = async (caller: Caller, lock: Lock): Promise<void> => {
  const { world } = caller;
  const { rng, profile } = world;
  const wait = world.wait();
  const signal = rng.chance(0.25) ? caller.abortsWithin(Math.min(wait, 600)) : undefined;
  const request = { lease: world.lease(), wait, signal, isFree: () => false, isStepwise: true };
  const duration = (): number => rng.pick([0, 1, 20, 0.5 * profile.renewedLease]) * rng.between(0.2, 1.5);
  await caller.locked(lock, request, async (hold: Hold, task) => {
    await caller.work(duration(), hold.signal);
    if (rng.chance(0.3))
      await caller.locked(lock, { ...request, wait: 20_000, signal: undefined, within: task }, async () =>
        caller.work(duration(), hold.signal),
      );
    if (rng.chance(0.2)) await hold.extend(500).catch((error: unknown) => caller.tolerate(error));
    await caller.work(duration(), hold.signal);
  });
};

const loadOf = (world: SimulatedWorld): readonly Promise<unknown>[] => {
  const { rng } = world;
  const kind = world.servers.length === 3 ? majority : together;
  const single = async (caller: Caller): Promise<void> => takeOnce(caller, lockOf(caller, rng.pick(NAMES)));
  const callers = Array.from({ length: rng.whole(2, 5) }, () => world.caller());
  return callers.map((caller) =>
    repeat(rng.whole(1, 3), () => (rng.chance(0.3) ? single(caller) : takeOnce(caller, kind(caller)))),
  );
};

/** Several locks as one: all of them, on one server or two, or a majority on three. */
export const multiLocks: Scenario = {
  name: 'multi-locks',
  mayKill: true,
  setup: (rng) => ({ servers: rng.whole(1, 3), processes: rng.whole(2, 3) }),
  start: (world) => ({ callers: loadOf(world) }),
};
