import { counterTable } from '../../../lib/backend/memory/counters.js';
import type { Actor } from '../stage/actor.js';
import type { Scenario } from './scenario.js';

const NAME = 'latch';

/** How far a latch has been counted down, by those who count. */
interface Progress {
  begun: number;
  readonly count: number;
}

const countDown = async (actor: Actor, progress: Progress): Promise<void> => {
  const { stage, process } = actor;
  await actor.work(stage.rng.between(0, 400));
  progress.begun += 1;
  process.note(() => `${actor.name} counts down`);
  // A count-down that could not be confirmed goes on in the background.
  await process.locks
    .getCountDownLatch(NAME)
    .countDown()
    .catch((error: unknown) => actor.tolerate(error));
};

const awaitOpen = async (actor: Actor, progress: Progress): Promise<void> => {
  const { stage, process } = actor;
  const { rng, simulation, server } = stage;
  await actor.work(rng.between(0, 300));
  const wait = stage.wait();
  const isFree = (): boolean => counterTable(server.store).find(NAME) === undefined;
  try {
    const isOpen = await actor.answer(NAME, { wait, isFree }, () =>
      process.locks.getCountDownLatch(NAME).await({ wait }),
    );
    if (isOpen && progress.begun < progress.count) {
      simulation.violate('latch', `${actor.name} passed after ${progress.begun} of ${progress.count} counts`);
    }
  } catch (error) {
    actor.tolerate(error);
  }
};

/** Some count down, others wait until all have. */
export const latches: Scenario = {
  name: 'latches',
  mayKill: false,
  cast: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  play: (stage) => {
    const { rng, server, simulation } = stage;
    const progress: Progress = { begun: 0, count: rng.whole(1, 4) };
    server.put(NAME, progress.count);
    const counters = Array.from({ length: progress.count }, () => countDown(stage.actor(), progress));
    const waiters = Array.from({ length: rng.whole(1, 4) }, () => awaitOpen(stage.actor(), progress));
    return {
      actors: [...counters, ...waiters],
      finish: () => {
        const left = counterTable(server.store).find(NAME);
        if (left !== undefined)
          simulation.violate('latch', `${left} are left of ${progress.count} when all have counted`);
      },
    };
  },
};
