import type { Lock } from '../../../lib/locks/lock.js';
import type { Caller } from '../world/caller.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'a';
const LEASES_MS = [100, 300, 800, 2000, 8000];
/** Leases with which holds are handed over to code that never asks for them: mostly shorter than what is left. */
const DETACHED_MS = [50, 200, 1000];

/** Those that give up once another caller has the lock. */
type Impatient = Set<AbortController>;

const giveUpSignal = (caller: Caller, impatient: Impatient): AbortSignal | undefined => {
  const { rng } = caller.world;
  if (rng.chance(0.2)) return caller.abortsWithin(rng.pick([50, 400]));
  if (!rng.chance(0.6)) return undefined;
  const controller = new AbortController();
  impatient.add(controller);
  return controller.signal;
};

const giveUp = (caller: Caller, impatient: Impatient): void => {
  for (const controller of impatient) {
    caller.process.act(caller.world.rng.between(0, 20), () => controller.abort(new Error('Another has the lock')));
  }
  impatient.clear();
};

/** Takes the lock for a lease that often ends without a release. */
const takeOnce = async (caller: Caller, lock: Lock, leases: readonly number[], impatient: Impatient): Promise<void> => {
  const { world } = caller;
  const { rng, server } = world;
  const wait = rng.pick([100, 1500, 60_000, 60_000, 60_000]);
  const lease = rng.pick(leases);
  const signal = giveUpSignal(caller, impatient);
  const request = { wait, lease, signal, isFree: () => !server.isHeld(NAME) };
  try {
    const hold = await caller.answer(NAME, request, () => lock.acquire({ wait, lease, ...(signal && { signal }) }));
    const leave = caller.enters(hold, lease);
    giveUp(caller, impatient);
    await caller.work(rng.pick([0, 20, 200]) * rng.next(), hold.signal);
    leave();
    // Those behind know the end of a long lease, and not of the short one that follows.
    if (rng.chance(lease > 1000 ? 0.7 : 0.3)) await hold.release();
    else if (rng.chance(0.5)) await hold.detach({ lease: rng.pick(DETACHED_MS) });
  } catch (error) {
    caller.tolerate(error);
  }
  await caller.work(rng.pick([0, 5, 100, 1000]) * rng.next());
};

/** Holds that nobody releases, some with a lease that was shortened. Whatever its process knows of the lock, no waiter sleeps beside a free one. */
export const endingLeases: Scenario = {
  name: 'ending leases',
  mayKill: false,
  isQuiet: true,
  setup: (rng) => ({ servers: 1, processes: rng.pick([2, 3, 3]) }),
  start: (world) => {
    const { rng } = world;
    const isFair = rng.chance(0.85);
    const leases = rng.chance(0.3) ? LEASES_MS : [100, 8000];
    const lockOf = ({ process: { locks } }: Caller): Lock => (isFair ? locks.getFairLock(NAME) : locks.getLock(NAME));
    const impatient: Impatient = new Set();
    const callers = Array.from({ length: rng.whole(4, 8) }, () => world.caller());
    return {
      callers: callers.map((caller) =>
        repeat(rng.whole(1, 3), () => takeOnce(caller, lockOf(caller), leases, impatient)),
      ),
    };
  },
};
