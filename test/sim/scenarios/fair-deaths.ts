import type { Actor } from '../stage/actor.js';
import type { Scenario } from './scenario.js';

const NAME = 'a';
/** Far longer than a place in the queue is kept without a sign of life. */
const LEASE_MS = 60_000;
const LONG_WAIT_MS = 90_000;

const take = async (actor: Actor, wait: number, ms: number, lease?: number): Promise<void> => {
  const lock = actor.process.locks.getFairLock(NAME);
  await actor.locked(lock, { wait, lease }, (hold) => actor.work(ms, hold.signal));
};

/** A waiter of a fair lock dies in its place; those behind it get the lock all the same, a slot later at the most. */
export const fairDeaths: Scenario = {
  name: 'fair deaths',
  mayKill: false,
  cast: () => ({ servers: 1, processes: 3, isTroubled: true }),
  play: (stage) => {
    const { rng, profile, simulation } = stage;
    const [holding, dying, living] = stage.processes;
    const holder = stage.actor(holding);
    const victim = stage.actor(dying);
    const others = Array.from({ length: rng.whole(1, 2) }, () => stage.actor(rng.chance(0.5) ? living : holding));
    const ms = rng.between(0, profile.fairWaitTimeout);
    simulation.at(rng.between(0, 1.2) * ms, () => dying?.kill());
    const later = async (actor: Actor, from: number, to: number): Promise<void> => {
      await actor.work(rng.between(from, to));
      await take(actor, LONG_WAIT_MS, 5);
    };
    // The end of the victim is not awaited, because it dies.
    void later(victim, 0, ms / 2);
    return { actors: [take(holder, LONG_WAIT_MS, ms, LEASE_MS), ...others.map((actor) => later(actor, 0, 2 * ms))] };
  },
};
