import type { Caller } from '../world/caller.js';
import type { Scenario } from './scenario.js';

const NAME = 'a';
/** Far longer than a place in the queue lasts without a heartbeat. */
const LEASE_MS = 60_000;
const LONG_WAIT_MS = 90_000;

const take = async (caller: Caller, wait: number, ms: number, lease?: number): Promise<void> => {
  const lock = caller.process.locks.getFairLock(NAME);
  await caller.locked(lock, { wait, lease }, (hold) => caller.work(ms, hold.signal));
};

/** A waiter for a fair lock dies. The waiters behind it still get the lock, at most one slot later. */
export const fairDeaths: Scenario = {
  name: 'fair deaths',
  mayKill: false,
  setup: () => ({ servers: 1, processes: 3, hasLateWakeUps: true }),
  start: (world) => {
    const { rng, profile, simulation } = world;
    const [holding, dying, living] = world.processes;
    const holder = world.caller(holding);
    const victim = world.caller(dying);
    const others = Array.from({ length: rng.whole(1, 2) }, () => world.caller(rng.chance(0.5) ? living : holding));
    const ms = rng.between(0, profile.fairWaitTimeout);
    simulation.at(rng.between(0, 1.2) * ms, () => dying?.kill());
    const later = async (caller: Caller, from: number, to: number): Promise<void> => {
      await caller.work(rng.between(from, to));
      await take(caller, LONG_WAIT_MS, 5);
    };
    // The end of the victim is not awaited, because it dies.
    void later(victim, 0, ms / 2);
    return { callers: [take(holder, LONG_WAIT_MS, ms, LEASE_MS), ...others.map((caller) => later(caller, 0, 2 * ms))] };
  },
};
