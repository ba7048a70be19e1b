import { clientIdOf } from '../../../lib/context/owner-ids.js';
import { watchGrants } from '../checks/grants.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'a';
/** Time for timers and messages, ms. */
const MARGIN_MS = 50;
/** Longer than everything that a dead process may hold up. */
const LONG_WAIT_MS = 90_000;
/** Of callers with as short a wait, the first that leaves makes way for one that wants another lease. */
const SHORT_WAITS_MS = [20, 100, 400];
/** A hold that the watchdog renews. */
const RENEWED = 0;
const LEASES_MS = [RENEWED, RENEWED, 300, 2000, 4500, 30_000];

/** The process of an owner. */
const processOf = ({ processes }: SimulatedWorld, owner: string): SimulatedProcess | undefined =>
  processes.find(({ clientIds }) => clientIds.has(clientIdOf(owner)));

const isRunning = (process: SimulatedProcess | undefined): boolean =>
  process !== undefined && process.isAlive && !process.isStalled;

/**
 * Whether a waiter has no reason to sleep. The place of a process that has stopped keeps a fair lock from others until it
 * ends, or was told in their stead when the lease of a holder that has stopped ends. They notice at the next of their
 * heartbeats; and a process that was suspended notices at its own.
 */
const freeIn = (world: SimulatedWorld, isFair: boolean): ((waiting: SimulatedProcess) => boolean) => {
  const { server, simulation, profile } = world;
  const heartbeat = profile.fairWaitTimeout / 3 + MARGIN_MS;
  const hasStopped = (owner: string): boolean => !isRunning(processOf(world, owner));
  let isKept = false;
  let keptFrom = Number.NEGATIVE_INFINITY;
  return (waiting) => {
    const holder = server.stored.holderOf(NAME);
    const isWaiting = server.stored.fairWaiters(NAME).some(hasStopped);
    isKept = isWaiting || (isKept && holder !== undefined && hasStopped(holder));
    if (isKept) keptFrom = simulation.now;
    if (server.isHeld(NAME)) return false;
    return !isFair || simulation.now > Math.max(keptFrom, waiting.resumedAt) + heartbeat;
  };
};

/** Stops processes as a release gives them the lock, as long as two others are left. */
const stopGrantees = (world: SimulatedWorld): void => {
  const { rng, server, processes } = world;
  const likelihood = rng.pick([0.1, 0.4]);
  server.onExecuted(({ script, reply }) => {
    if (!(reply[0] === 'passed-on' || script.endsWith('/leave') || script.endsWith('/withdraw'))) return;
    const grantee = processOf(world, server.stored.holderOf(NAME) ?? '');
    if (!grantee || processes.filter(isRunning).length <= 2 || !rng.chance(likelihood)) return;
    const ms = rng.pick([300, 3000, 60_000]) * rng.between(0.5, 1);
    const how = rng.pick(['kill', 'stall', 'suspend'] as const);
    if (how === 'kill') grantee.kill();
    else grantee[how](ms);
  });
};

const takeOnce = async (caller: Caller, isFair: boolean, isFree: () => boolean): Promise<void> => {
  const { world, process } = caller;
  const { rng } = world;
  const lock = isFair ? process.locks.getFairLock(NAME) : process.locks.getLock(NAME);
  const lease = rng.pick(LEASES_MS) || undefined;
  const wait = rng.chance(0.3) ? rng.pick(SHORT_WAITS_MS) : LONG_WAIT_MS;
  await caller.locked(lock, { wait, lease, isFree }, (hold) =>
    caller.work(rng.pick([0, 5, 40, 200, 600]) * rng.between(0.2, 1), hold.signal),
  );
  await caller.work(rng.pick([0, 5, 100]) * rng.next());
};

/**
 * Processes that die or stand still as they are given a plain or a fair lock. The others get it when the lease ends for
 * which it was given, however long their safety poll is.
 */
export const deadGrantees: Scenario = {
  name: 'dead grantees',
  mayKill: false,
  isQuiet: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(3, 4), withoutHandOver: rng.chance(0.2) ? 1 : 0 }),
  start: (world) => {
    const { rng, server } = world;
    const isFair = rng.chance(0.4);
    if (!isFair) watchGrants(world, server, NAME);
    const isFree = freeIn(world, isFair);
    stopGrantees(world);
    const callers = Array.from({ length: rng.whole(4, 8) }, () => world.caller());
    return {
      callers: callers.map((caller) =>
        repeat(rng.whole(1, 3), () => takeOnce(caller, isFair, () => isFree(caller.process))),
      ),
    };
  },
};
