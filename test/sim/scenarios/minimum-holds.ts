import type { Actor } from '../stage/actor.js';
import type { Stage } from '../stage/stage.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'a';
const WAIT_MS = 90_000;

/** A short job under a lock that is to be held for much longer; its connection may break when it ends. */
const job = async (actor: Actor): Promise<void> => {
  const { stage, process } = actor;
  const { rng, profile } = stage;
  await actor.locked(process.locks.getLock(NAME), { wait: WAIT_MS }, async (hold) => {
    stage.minimums.keep(actor, hold, rng.pick([4000, 10_000]));
    const ms = rng.between(0, 300);
    if (profile.name !== 'quiet' && rng.chance(0.5)) {
      const { now } = stage.simulation;
      stage.simulation.at(now + ms + rng.between(-2, 2) * profile.delays.usual[1], () =>
        process.cutOne(rng.between(1, 100)),
      );
    }
    await actor.work(ms, hold.signal);
  });
};

/** Jobs that keep their lock for some time at least, so that a process whose clock is late does not do them again. */
export const minimumHolds: Scenario = {
  name: 'minimum holds',
  mayKill: false,
  cast: (rng) => ({ servers: 1, processes: rng.whole(2, 3), isTroubled: true }),
  play: (stage: Stage) => {
    const crowd = Array.from({ length: stage.rng.whole(2, 4) }, () => stage.actor());
    return { actors: crowd.map((actor) => repeat(stage.rng.whole(1, 2), () => job(actor))) };
  },
};
