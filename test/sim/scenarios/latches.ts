import type { Caller } from '../world/caller.js';
import type { Scenario } from './scenario.js';

const NAME = 'latch';

/** Number of counts of a latch, and of those that have begun. */
interface Progress {
  begun: number;
  readonly count: number;
}

const countDown = async (caller: Caller, progress: Progress): Promise<void> => {
  const { world, process } = caller;
  await caller.work(world.rng.between(0, 400));
  progress.begun += 1;
  process.note(() => `${caller.name} counts down`);
  // A count-down that could not be confirmed goes on in the background.
  await process.locks
    .getCountDownLatch(NAME)
    .countDown()
    .catch((error: unknown) => caller.tolerate(error));
};

const awaitOpen = async (caller: Caller, progress: Progress): Promise<void> => {
  const { world, process } = caller;
  const { rng, simulation, server } = world;
  await caller.work(rng.between(0, 300));
  const wait = world.wait();
  const isFree = (): boolean => server.stored.count(NAME) === undefined;
  try {
    const isOpen = await caller.answer(NAME, { wait, isFree }, () =>
      process.locks.getCountDownLatch(NAME).await({ wait }),
    );
    if (isOpen && progress.begun < progress.count) {
      simulation.violate('latch', `${caller.name} passed after ${progress.begun} of ${progress.count} counts`);
    }
  } catch (error) {
    caller.tolerate(error);
  }
};

/** Some callers count down, others wait until all have done so. */
export const latches: Scenario = {
  name: 'latches',
  mayKill: false,
  setup: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  start: (world) => {
    const { rng, server, simulation } = world;
    const progress: Progress = { begun: 0, count: rng.whole(1, 4) };
    server.put(NAME, progress.count);
    const counters = Array.from({ length: progress.count }, () => countDown(world.caller(), progress));
    const waiters = Array.from({ length: rng.whole(1, 4) }, () => awaitOpen(world.caller(), progress));
    return {
      callers: [...counters, ...waiters],
      finish: () => {
        const left = server.stored.count(NAME);
        if (left !== undefined)
          simulation.violate('latch', `${left} are left of ${progress.count} when all have counted`);
      },
    };
  },
};
