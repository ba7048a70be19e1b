import { counterTable } from '../../../lib/backend/memory/counter.js';
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

const takeOnce = async (actor: Actor, permits: Permits): Promise<void> => {
  const { stage, process } = actor;
  const { rng } = stage;
  const semaphore = process.locks.getSemaphore(NAME);
  const wanted = rng.whole(1, permits.total);
  const wait = stage.wait();
  const signal = rng.chance(0.2) ? actor.abortsWithin(Math.min(wait, 400)) : undefined;
  const asking = { wait, signal, isFree: () => available(stage) >= wanted };
  try {
    await actor.answer(NAME, asking, () => semaphore.acquire(wanted, { wait, ...(signal && { signal }) }));
    permits.take(wanted);
    process.note(() => `${actor.name} has ${wanted} permits`);
    await actor.work(rng.pick([0, 1, 30, 300]) * rng.next());
    permits.used -= wanted;
    process.note(() => `${actor.name} gives ${wanted} permits back`);
    await semaphore.release(wanted);
  } catch (error) {
    actor.tolerate(error);
  }
};

/** Permits that nobody owns: none is used twice, none gets lost. */
export const semaphores: Scenario = {
  name: 'semaphores',
  mayKill: false,
  cast: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  play: (stage) => {
    const { rng } = stage;
    const permits = new Permits(stage, rng.whole(1, 3));
    stage.server.put(NAME, permits.total);
    const crowd = Array.from({ length: rng.whole(2, 7) }, () => stage.actor());
    return {
      actors: crowd.map((actor) => repeat(rng.whole(1, 4), () => takeOnce(actor, permits))),
      finish: () => {
        const left = available(stage);
        if (left !== permits.total) {
          stage.simulation.violate('permits', `${left} permits are left of ${permits.total} when all were given back`);
        }
      },
    };
  },
};
