import type { LeaderElection } from '../../../lib/coordination/leader-election.js';
import type { Actor } from '../stage/actor.js';
import { repeat, type Scenario } from './scenario.js';

/** How long a stop may take, ms: the leader's work ends at once, what follows is a release. */
const STOP_WITHIN_MS = 20_000;

const candidate = (actor: Actor): LeaderElection => {
  const { stage, process } = actor;
  const { rng, simulation } = stage;
  return process.locks.getLeaderElection('leader', {
    onElected: async (signal, hold) => {
      if (signal.aborted) simulation.violate('election', `${actor.name} is elected when it is to stop`);
      const leave = actor.enters(hold);
      // Work of the usual form, which ends when it is told to.
      if (rng.chance(0.7)) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      else await actor.work(rng.between(0, 300), signal);
      leave();
    },
  });
};

const stop = (actor: Actor, election: LeaderElection, within: number): Promise<void> =>
  new Promise((resolve) => {
    const { stage, process, name } = actor;
    process.act(stage.rng.between(0, within), () => {
      process.note(() => `${name} is to stop`);
      const answered = stage.waits.begin({
        who: `${name}, which stops,`,
        process,
        lock: 'leader',
        wait: STOP_WITHIN_MS,
        grace: 0,
        isFree: () => false,
      });
      void election.stop().then(() => {
        answered();
        resolve();
      });
    });
  });

const stand = async (actor: Actor): Promise<void> => {
  const { rng } = actor.stage;
  const election = candidate(actor);
  await repeat(rng.whole(1, 3), async () => {
    await actor.work(rng.between(0, 50));
    actor.process.note(() => `${actor.name} stands for election`);
    election.start();
    await stop(actor, election, rng.pick([10, 60, 1000, 4000]));
  });
};

/** Candidates of which one leads at a time, and who stop when they are told to. */
export const elections: Scenario = {
  name: 'elections',
  mayKill: true,
  cast: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  play: (stage) => ({ actors: Array.from({ length: stage.rng.whole(2, 5) }, () => stand(stage.actor())) }),
};
