import type { Rng } from '../../chaos/rng.js';
import { Grants } from '../checks/grants.js';
import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'a';
/** The shortest watchdog time-out with which no hold may be lost without a fault. */
const SAFE_TIMEOUT_MS = 1000;

/** A hold that the watchdog renews. */
const RENEWED = 0;

/** The leases of one run, ms. */
type Leases = readonly number[];

/** None of these ends before its section, unless something fails. */
const SAFE_LEASES: Leases = [RENEWED, RENEWED, 2000, 60_000];
/** Some of these end without a release, and are short enough to be announced. */
const SHORT_LEASES: Leases = [RENEWED, 100, 300];
const ANY_LEASES: Leases = [RENEWED, RENEWED, 100, 300, 800, 2000, 60_000];

const leasesOf = ({ rng, profile }: SimulatedWorld): Leases => {
  if (profile.name !== 'quiet') return ANY_LEASES;
  return rng.pick([SAFE_LEASES, SHORT_LEASES]);
};

/** Sometimes breaks a connection of the caller's process `ms` from now, or a few messages earlier or later. */
const cutAround = ({ process, world: { simulation, rng, profile } }: Caller, ms: number): void => {
  if (profile.name === 'quiet' || !rng.chance(0.3)) return;
  const at = simulation.now + ms + rng.between(-1, 4) * profile.delays.usual[1];
  // The longest is that of two attempts to send a command.
  const longest = rng.pick([10, 100, 3 * profile.commandTimeout]);
  simulation.at(at, () => process.cutOne(rng.between(0.1, 1) * longest));
};

const durationOf = (rng: Rng): number => rng.pick([0, 0, 1, 5, 40, 200]) * rng.between(0.2, 1.2);

const takeOnce = async (caller: Caller, leases: Leases, grants: Grants | undefined): Promise<void> => {
  const { world, process } = caller;
  const { rng, server } = world;
  const wait = rng.pick([30, 200, 1500, 20_000, 90_000]);
  const signal = rng.chance(0.3) ? caller.abortsWithin(rng.pick([5, 50, 400])) : undefined;
  const lease = rng.pick(leases) || undefined;
  const request = {
    lease,
    wait,
    signal,
    // Short leases are announced, so that waiters know when they end.
    isFree: () => (leases === SHORT_LEASES ? !server.isHeld(NAME) : server.wasFreed(NAME)),
    ...(grants && { isInLine: () => grants.isInLine(process) }),
  };
  cutAround(caller, rng.between(0, 200));
  await caller.locked(process.locks.getLock(NAME), request, async (hold) => {
    const ms = durationOf(rng);
    cutAround(caller, ms);
    await caller.work(ms, hold.signal);
    if (!rng.chance(0.25) || leases === SHORT_LEASES) return;
    await hold.extend(rng.pick([800, 3000])).catch((error: unknown) => caller.tolerate(error));
    await caller.work(durationOf(rng), hold.signal);
  });
  await caller.work(rng.pick([0, 0, 5, 100]) * rng.next());
};

const forbidLoss = ({ processes, simulation }: SimulatedWorld): void => {
  for (const { name, locks } of processes) {
    locks.onEvent((event) => {
      if (event.type === 'lost') simulation.violate('kept alive', `${name} has lost ${NAME}: ${event.reason}`);
    });
  }
};

/** Several processes that give one plain lock to one another, while waiters come and go, and replies are lost. */
export const grants: Scenario = {
  name: 'grants',
  mayKill: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3), withoutHandOver: rng.chance(0.2) ? 1 : 0 }),
  start: (world) => {
    const { rng, profile, server, processes } = world;
    const leases = leasesOf(world);
    if (leases === SAFE_LEASES && profile.renewedLease >= SAFE_TIMEOUT_MS) forbidLoss(world);
    const watch = new Grants(world, server, NAME);
    const callers = Array.from({ length: rng.whole(3, 8) }, () => world.caller());
    const load = callers.map((caller) => {
      const isGiven = profile.handover && processes.indexOf(caller.process) >= world.withoutHandOver;
      return repeat(rng.whole(1, 4), () => takeOnce(caller, leases, isGiven ? watch : undefined));
    });
    return { callers: load };
  },
};
