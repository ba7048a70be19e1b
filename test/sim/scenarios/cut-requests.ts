import { watchGrants } from '../checks/grants.js';
import type { Caller } from '../world/caller.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'a';
/** Cuts of one process. More of them could keep a lock from its owner for as long as they last. */
const MOST_CUTS = 3;
/** The requests about waiting entries, and those that carry one. */
const ABOUT_ENTRIES = new Set(['lock/wait', 'lock/release', 'lock/withdraw']);

const takeOnce = async (caller: Caller): Promise<void> => {
  const { world, process } = caller;
  const { rng } = world;
  const lease = rng.pick([300, 800, 60_000]);
  const signal = rng.chance(0.4) ? caller.abortsWithin(rng.pick([5, 50, 400])) : undefined;
  await caller.locked(process.locks.getLock(NAME), { lease, wait: 90_000, signal }, async (hold) => {
    const isExtended = rng.chance(0.3);
    if (isExtended) await hold.extend(3000).catch((error: unknown) => caller.tolerate(error));
    await caller.work(rng.pick(isExtended ? [40, 1000] : [0, 1, 5, 40]) * rng.between(0.2, 1.2), hold.signal);
  });
  await caller.work(rng.pick([0, 0, 5]) * rng.next());
};

/** Connections that break with a request about a waiting entry on its way, which is lost or executed later. */
export const cutRequests: Scenario = {
  name: 'cut requests',
  mayKill: false,
  setup: () => ({ servers: 1, processes: 2, hasLateWakeUps: true }),
  start: (world) => {
    const { rng, profile, server, processes } = world;
    watchGrants(world, server, NAME);
    const share = rng.pick([0.05, 0.2]);
    for (const process of processes) {
      let left = MOST_CUTS;
      process.cutAt = (what) => {
        if (left === 0 || !ABOUT_ENTRIES.has(what) || !rng.chance(share)) return 0;
        left -= 1;
        return rng.pick([1, 50, 2 * profile.commandTimeout]) * rng.next();
      };
    }
    const callers = Array.from({ length: rng.whole(3, 6) }, () => world.caller());
    return { callers: callers.map((caller) => repeat(rng.whole(1, 4), () => takeOnce(caller))) };
  },
};
