import type { LockService } from '../../../lib/lock.service.js';
import type { Lock } from '../../../lib/locks/lock.js';
import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'a';
/** None of these ends during a block of a third of it. */
const LEASES_MS = [1000, 3000, 30_000];
/** The shortest lease of which a third is left after the block, its margin, and a request. */
const KINDS = [
  (locks: LockService): Lock => locks.getLock(NAME),
  (locks: LockService): Lock => locks.getLock(NAME),
  (locks: LockService): Lock => locks.getFairLock(NAME),
  (locks: LockService): Lock => locks.getFencedLock(NAME),
  (locks: LockService): Lock => locks.getSpinLock(NAME),
];

/** Takes the lock for work that keeps the event loop for a third of the lease, in the turn in which it begins. */
const takeOnce = async (caller: Caller, lock: Lock): Promise<void> => {
  const { world, process } = caller;
  const { rng, profile } = world;
  const leases = profile.renewedLease >= 1000 ? [undefined, ...LEASES_MS] : LEASES_MS;
  const [lease] = [leases[rng.whole(0, leases.length - 1)]];
  // Another lease than that of the waiter before may be the one that it is given.
  const signal = rng.chance(0.2) ? caller.abortsWithin(rng.pick([20, 400])) : undefined;
  const request = { wait: 60_000, lease, signal, isFree: () => false };
  await caller.locked(lock, request, async (hold) => {
    if (rng.chance(0.7)) process.stall((lease ?? profile.renewedLease) / 3);
    await caller.work(rng.pick([0, 1, 20]), hold.signal);
  });
  await caller.work(rng.pick([0, 5, 500]) * rng.next());
};

const forbidLoss = ({ processes, simulation }: SimulatedWorld): void => {
  for (const { name, locks } of processes) {
    locks.onEvent((event) => {
      if (event.type === 'lost') simulation.violate('kept alive', `${name} has lost ${NAME}: ${event.reason}`);
    });
  }
};

/** Work that blocks its process as it begins. However the lock was acquired, it is kept. */
export const blockingSections: Scenario = {
  name: 'blocking sections',
  mayKill: false,
  isQuiet: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  start: (world) => {
    const { rng } = world;
    forbidLoss(world);
    const lockOf = rng.pick(KINDS);
    const callers = Array.from({ length: rng.whole(3, 6) }, () => world.caller());
    return {
      callers: callers.map((caller) => repeat(rng.whole(1, 3), () => takeOnce(caller, lockOf(caller.process.locks)))),
    };
  },
};
