import type { OwnerId } from '../../../lib/context/owner-ids.js';
import type { Hold } from '../../../lib/holds/hold.js';
import { Arrivals } from '../checks/arrivals.js';
import { watchLimitOrder } from '../checks/order.js';
import { type Belief, beliefOf } from '../checks/belief.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'limit';
/** Redis replies with leases in whole milliseconds. */
const GRAIN_MS = 1;

interface Inside {
  readonly process: SimulatedProcess;
  readonly belief: Belief;
  /** The number of the permit. */
  readonly slot: number | undefined;
}

/**
 * The callers inside. No more than the limit believe that they have a permit, none for longer than its lease, and no two with
 * one number.
 */
export class Permits {
  /** Of the callers without places on the server. */
  readonly arrivals: Arrivals;
  private readonly open = new Set<Inside>();

  constructor(
    private readonly world: SimulatedWorld,
    readonly limit: number,
    readonly name = NAME,
    readonly isNumbered = false,
  ) {
    this.arrivals = new Arrivals(world.simulation, name);
    world.simulation.checks.push(() => this.check());
  }

  enter(inside: Inside): () => void {
    this.open.add(inside);
    return () => this.open.delete(inside);
  }

  /** Whether the server could give a permit now. A permit that ends by itself is not announced. */
  get isFree(): boolean {
    return this.deadlines.size < this.limit;
  }

  private get deadlines(): ReadonlyMap<OwnerId, number> {
    return this.world.server.stored.permitsOf(this.name);
  }

  private check(): void {
    if (this.open.size === 0) return;
    const { simulation, server } = this.world;
    const { deadlines } = this;
    const believing = [...this.open].filter(({ process, belief }) => process.isAlive && belief.remaining > 0);
    if (believing.length > this.limit) {
      simulation.violate('permits', `${believing.length} callers believe in a permit of a limit of ${this.limit}`);
    }
    const slots = believing.flatMap(({ slot }) => slot ?? []);
    if (new Set(slots).size < slots.length || slots.some((slot) => slot < 0 || slot >= this.limit)) {
      simulation.violate('numbers', `callers of a limit of ${this.limit} have the numbers ${slots.join(', ')}`);
    }
    for (const { process, belief } of believing) {
      const left = (deadlines.get(belief.owner) ?? Number.NEGATIVE_INFINITY) - server.store.now();
      if (belief.remaining / process.clock.rate <= left / server.rate + GRAIN_MS) continue;
      simulation.violate(
        'no belief beyond the lease',
        `${process.name} believes in ${belief.owner} for ${belief.remaining} ms more; the server says ${left} ms`,
      );
    }
  }
}

export const takePermit = async (caller: Caller, permits: Permits, isFair: boolean): Promise<void> => {
  const { world, process } = caller;
  const { rng, profile } = world;
  const wait = world.wait();
  const lease = world.lease();
  const signal = rng.chance(0.2) ? caller.abortsWithin(Math.min(wait, 400)) : undefined;
  const options = {
    wait,
    fair: isFair,
    numbered: permits.isNumbered,
    ...(lease !== undefined && { lease }),
    ...(signal && { signal }),
  };
  const work = async (hold: Hold): Promise<void> => {
    const leave = permits.enter({ process, belief: beliefOf(hold), slot: hold.slot });
    await caller.work(rng.pick([0, 1, 30, 300, 1.5 * profile.renewedLease]) * rng.next(), hold.signal);
    if (rng.chance(0.3))
      await hold.extend(rng.pick([100, 400, 3000])).catch((error: unknown) => caller.tolerate(error));
    // A call inside uses the permit of the outer one.
    if (rng.chance(0.3))
      await process.locks.withLock(permits.name, { limit: permits.limit }, () => caller.work(10 * rng.next()));
    leave();
  };
  const place = isFair ? undefined : permits.arrivals.arrive({ who: caller.name, process, wait, signal });
  let answered = (): void => {};
  const asked = new Promise<void>((resolve) => (answered = resolve));
  const entered = process.locks
    .withLock(permits.name, { limit: permits.limit, ...options }, (hold) => {
      place?.granted();
      answered();
      return work(hold);
    })
    .catch((error: unknown) => void caller.tolerate(error))
    .finally(() => {
      place?.left();
      answered();
    });
  await caller.answer(permits.name, { wait, signal, isFree: () => permits.isFree }, () => asked);
  await entered;
};

/** Permits of a limit, in several processes, of which one may die. */
export const limits: Scenario = {
  name: 'limits',
  mayKill: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  start: (world) => {
    const { rng } = world;
    const limit = rng.whole(1, 3);
    // Of the number: another choice at random would change all schedules.
    const permits = new Permits(world, limit, NAME, limit > 1);
    const callers = Array.from({ length: rng.whole(2, 7) }, () => world.caller());
    watchLimitOrder(world.simulation, world.server);
    // Callers of one name may differ.
    const fairness = rng.pick([0, 0.5, 1]);
    const once = (caller: Caller): Promise<void> => takePermit(caller, permits, rng.chance(fairness));
    return { callers: callers.map((caller) => repeat(rng.whole(1, 4), () => once(caller))) };
  },
};
