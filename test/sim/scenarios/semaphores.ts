import { Arrivals } from '../checks/arrivals.js';
import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'semaphore';

const available = ({ server }: SimulatedWorld): number => server.stored.count(NAME) ?? 0;

/** Permits without owners. Checks that no more are in use than there are. */
class Permits {
  readonly arrivals: Arrivals;
  used = 0;

  constructor(
    private readonly world: SimulatedWorld,
    readonly total: number,
  ) {
    this.arrivals = new Arrivals(world.simulation, NAME);
  }

  take(permits: number): void {
    this.used += permits;
    if (this.used > this.total) {
      this.world.simulation.violate('permits', `${this.used} permits are in use, and there are ${this.total}`);
    }
  }
}

/** The usage of permits in one run. */
interface Usage {
  /** The most permits that one request takes. */
  readonly most: number;
  /** Milliseconds for which permits may be used. */
  readonly durations: readonly number[];
}

const takeOnce = async (caller: Caller, permits: Permits, { most, durations }: Usage): Promise<void> => {
  const { world, process } = caller;
  const { rng } = world;
  const semaphore = process.locks.getSemaphore(NAME);
  const wanted = rng.whole(1, most);
  const wait = world.wait();
  const signal = rng.chance(0.2) ? caller.abortsWithin(Math.min(wait, 400)) : undefined;
  const request = { wait, signal, isFree: () => available(world) >= wanted };
  const place = permits.arrivals.arrive({ who: caller.name, process, wanted, wait, signal });
  try {
    await caller.answer(NAME, request, () => semaphore.acquire(wanted, { wait, ...(signal && { signal }) }));
    place.granted();
    permits.take(wanted);
    process.note(() => `${caller.name} has ${wanted} permits`);
    await caller.work(rng.pick(durations) * rng.next());
    permits.used -= wanted;
    process.note(() => `${caller.name} gives ${wanted} permits back`);
    await semaphore.release(wanted);
  } catch (error) {
    place.left();
    caller.tolerate(error);
  }
};

/** Takes a permit once, and keeps it. */
const takeOne = async (caller: Caller): Promise<void> => {
  const { world, process } = caller;
  const wait = 90_000;
  const semaphore = process.locks.getSemaphore(NAME);
  await caller.work(world.rng.between(0, 20));
  try {
    await caller.answer(NAME, { wait, isFree: () => available(world) >= 1 }, () => semaphore.acquire(1, { wait }));
    process.note(() => `${caller.name} has its permit`);
  } catch (error) {
    caller.tolerate(error);
  }
};

/** Gives this many permits, one shortly after the other. */
const give = async (caller: Caller, permits: number): Promise<void> => {
  const { world, process } = caller;
  const { rng, profile } = world;
  await caller.work(rng.between(100, 200));
  for (let given = 0; given < permits; given += 1) {
    process.note(() => `${caller.name} gives a permit`);
    await Promise.race([
      process.locks
        .getSemaphore(NAME)
        .release()
        .catch((error: unknown) => caller.tolerate(error)),
      caller.work(2 * rng.next() * profile.delays.usual[1]),
    ]);
  }
};

/** Permits that some callers wait for and others release. No caller sleeps while a permit is free. */
export const signals: Scenario = {
  name: 'signals',
  mayKill: false,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  start: (world) => {
    const { rng } = world;
    world.server.put(NAME, 0);
    const [first] = world.processes;
    const waiting = Array.from({ length: rng.whole(2, 4) }, () =>
      takeOne(world.caller(rng.chance(0.7) ? first : undefined)),
    );
    return { callers: [...waiting, give(world.caller(), waiting.length)] };
  },
};

/** Permits without owners. No permit is used twice, and none is lost. */
export const semaphores: Scenario = {
  name: 'semaphores',
  mayKill: false,
  setup: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  start: (world) => {
    const { rng } = world;
    const permits = new Permits(world, rng.whole(1, 3));
    world.server.put(NAME, permits.total);
    // Either many callers with short uses, so that permits are released while others are being taken, or any usage.
    const isBusy = rng.chance(0.5);
    const usage: Usage = isBusy
      ? { most: 1, durations: [1, 2 * world.profile.delays.usual[1]] }
      : { most: permits.total, durations: [0, 1, 30, 300] };
    const callers = Array.from({ length: isBusy ? rng.whole(5, 9) : rng.whole(2, 7) }, () => world.caller());
    return {
      callers: callers.map((caller) => repeat(rng.whole(1, 4), () => takeOnce(caller, permits, usage))),
      finish: () => {
        const left = available(world);
        if (left !== permits.total) {
          world.simulation.violate('permits', `${left} permits are left of ${permits.total} when all were given back`);
        }
      },
    };
  },
};
