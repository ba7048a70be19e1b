import type { LeaderElection } from '../../../lib/coordination/leader-election.js';
import type { Caller } from '../world/caller.js';
import { repeat, type Scenario } from './scenario.js';

/** The longest time that a stop may take, ms: the leader's work ends at once, and a release follows. */
const STOP_WITHIN_MS = 20_000;

const candidate = (caller: Caller): LeaderElection => {
  const { world, process } = caller;
  const { rng, simulation } = world;
  return process.locks.getLeaderElection('leader', {
    onElected: async (signal, hold) => {
      if (signal.aborted) simulation.violate('election', `${caller.name} is elected when it is to stop`);
      const leave = caller.enters(hold);
      // Work of the usual form, which ends when its signal aborts.
      if (rng.chance(0.7)) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      else await caller.work(rng.between(0, 300), signal);
      leave();
    },
  });
};

const stop = (caller: Caller, election: LeaderElection, within: number): Promise<void> =>
  new Promise((resolve) => {
    const { world, process, name } = caller;
    process.act(world.rng.between(0, within), () => {
      process.note(() => `${name} is to stop`);
      const answered = world.waits.begin({
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

const stand = async (caller: Caller): Promise<void> => {
  const { rng } = caller.world;
  const election = candidate(caller);
  await repeat(rng.whole(1, 3), async () => {
    await caller.work(rng.between(0, 50));
    caller.process.note(() => `${caller.name} stands for election`);
    election.start();
    await stop(caller, election, rng.pick([10, 60, 1000, 4000]));
  });
};

/** Candidates that start and stop. At most one leads at a time. */
export const elections: Scenario = {
  name: 'elections',
  mayKill: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  start: (world) => ({ callers: Array.from({ length: world.rng.whole(2, 5) }, () => stand(world.caller())) }),
};
