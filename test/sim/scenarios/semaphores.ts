import { counterTable } from '../../../lib/backend/memory/counters.js';
import type { Actor } from '../stage/actor.js';
import type { Stage } from '../stage/stage.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'semaphore';

const available = ({ server }: Stage): number => counterTable(server.store).find(NAME) ?? 0;

/** How many permits are in use, and how many there are. */
class Permits {
  used = 0;

  constructor(
    private readonly stage: Stage,
    readonly total: number,
  ) {}

  take(permits: number): void {
    this.used += permits;
    if (this.used > this.total) {
      this.stage.simulation.violate('permits', `${this.used} permits are in use, and there are ${this.total}`);
    }
  }
}

/** How permits are used in one run. */
interface Usage {
  /** The most permits that one request takes. */
  readonly most: number;
  /** Milliseconds for which permits may be used. */
  readonly durations: readonly number[];
}

const takeOnce = async (actor: Actor, permits: Permits, { most, durations }: Usage): Promise<void> => {
  const { stage, process } = actor;
  const { rng } = stage;
  const semaphore = process.locks.getSemaphore(NAME);
  const wanted = rng.whole(1, most);
  const wait = stage.wait();
  const signal = rng.chance(0.2) ? actor.abortsWithin(Math.min(wait, 400)) : undefined;
  const asking = { wait, signal, isFree: () => available(stage) >= wanted };
  try {
    await actor.answer(NAME, asking, () => semaphore.acquire(wanted, { wait, ...(signal && { signal }) }));
    permits.take(wanted);
    process.note(() => `${actor.name} has ${wanted} permits`);
    await actor.work(rng.pick(durations) * rng.next());
    permits.used -= wanted;
    process.note(() => `${actor.name} gives ${wanted} permits back`);
    await semaphore.release(wanted);
  } catch (error) {
    actor.tolerate(error);
  }
};

/** Takes a permit once, and keeps it. */
const takeOne = async (actor: Actor): Promise<void> => {
  const { stage, process } = actor;
  const wait = 90_000;
  const semaphore = process.locks.getSemaphore(NAME);
  await actor.work(stage.rng.between(0, 20));
  try {
    await actor.answer(NAME, { wait, isFree: () => available(stage) >= 1 }, () => semaphore.acquire(1, { wait }));
    process.note(() => `${actor.name} has its permit`);
  } catch (error) {
    actor.tolerate(error);
  }
};

/** Gives this many permits, one shortly after the other. */
const give = async (actor: Actor, permits: number): Promise<void> => {
  const { stage, process } = actor;
  const { rng, profile } = stage;
  await actor.work(rng.between(100, 200));
  for (let given = 0; given < permits; given += 1) {
    process.note(() => `${actor.name} gives a permit`);
    await Promise.race([
      process.locks
        .getSemaphore(NAME)
        .release()
        .catch((error: unknown) => actor.tolerate(error)),
      actor.work(2 * rng.next() * profile.delays.usual[1]),
    ]);
  }
};

/** Permits that some actors wait for and others give. No actor sleeps beside one. */
export const signals: Scenario = {
  name: 'signals',
  mayKill: false,
  cast: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  play: (stage) => {
    const { rng } = stage;
    stage.server.put(NAME, 0);
    const [home] = stage.processes;
    const waiting = Array.from({ length: rng.whole(2, 4) }, () =>
      takeOne(stage.actor(rng.chance(0.7) ? home : undefined)),
    );
    return { actors: [...waiting, give(stage.actor(), waiting.length)] };
  },
};

/** Permits without owners: none is used twice, none gets lost. */
export const semaphores: Scenario = {
  name: 'semaphores',
  mayKill: false,
  cast: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  play: (stage) => {
    const { rng } = stage;
    const permits = new Permits(stage, rng.whole(1, 3));
    stage.server.put(NAME, permits.total);
    // Short uses by many, so that permits are given back while others are being taken; or any.
    const isBusy = rng.chance(0.5);
    const usage: Usage = isBusy
      ? { most: 1, durations: [1, 2 * stage.profile.delays.usual[1]] }
      : { most: permits.total, durations: [0, 1, 30, 300] };
    const crowd = Array.from({ length: isBusy ? rng.whole(5, 9) : rng.whole(2, 7) }, () => stage.actor());
    return {
      actors: crowd.map((actor) => repeat(rng.whole(1, 4), () => takeOnce(actor, permits, usage))),
      finish: () => {
        const left = available(stage);
        if (left !== permits.total) {
          stage.simulation.violate('permits', `${left} permits are left of ${permits.total} when all were given back`);
        }
      },
    };
  },
};
