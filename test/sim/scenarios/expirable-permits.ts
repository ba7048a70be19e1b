import type { Permit } from '../../../lib/synchronizers/permit.js';
import { Arrivals } from '../checks/arrivals.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'permits';
/** Redis replies with leases in whole milliseconds. */
const GRAIN_MS = 1;

interface Use {
  readonly process: SimulatedProcess;
  readonly permit: Permit;
}

/** Permits in use. Owners must not believe in more permits than there are, or in one for longer than its lease. */
class Uses {
  readonly arrivals: Arrivals;
  private readonly open = new Set<Use>();

  constructor(
    private readonly world: SimulatedWorld,
    readonly total: number,
  ) {
    this.arrivals = new Arrivals(world.simulation, NAME);
    world.server.put(NAME, total);
    world.simulation.checks.push(() => this.check());
  }

  begin(use: Use): () => void {
    this.open.add(use);
    return () => this.open.delete(use);
  }

  /** The number of permits that could be taken now, including those whose lease is over. */
  get available(): number {
    const { stored, now } = this.world.server;
    const out = stored.permitDeadlines(NAME);
    const over = [...out.values()].filter((deadline) => deadline <= now).length;
    return (stored.count(NAME) ?? 0) + over;
  }

  private check(): void {
    if (this.open.size === 0) return;
    const { simulation, server } = this.world;
    const out = server.stored.permitDeadlines(NAME);
    const believing = [...this.open].filter(
      ({ process, permit }) => process.isAlive && permit.isHeld && permit.remaining > 0,
    );
    if (believing.length > this.total) {
      simulation.violate('permits', `${believing.length} owners believe in one of ${this.total} permits`);
    }
    for (const { process, permit } of believing) {
      const left = (out.get(permit.id) ?? Number.NEGATIVE_INFINITY) - server.store.now();
      if (permit.remaining / process.clock.rate <= left / server.rate + GRAIN_MS) continue;
      simulation.violate(
        'no belief beyond the lease',
        `${process.name} believes in permit ${permit.id} for ${permit.remaining} ms more; the server says ${left} ms`,
      );
    }
  }
}

const takeOnce = async (caller: Caller, uses: Uses): Promise<void> => {
  const { world, process } = caller;
  const { rng } = world;
  const pool = process.locks.getPermitExpirableSemaphore(NAME);
  const wait = world.wait();
  const lease = world.lease();
  const signal = rng.chance(0.2) ? caller.abortsWithin(Math.min(wait, 400)) : undefined;
  const term = lease === undefined ? { renew: rng.chance(0.5) } : { lease };
  const options = { wait, ...term, ...(signal && { signal }) };
  const place = uses.arrivals.arrive({ who: caller.name, process, wait, signal });
  try {
    const permit = await caller.answer(NAME, { wait, signal, isFree: () => uses.available >= 1 }, () =>
      pool.acquire(options),
    );
    place.granted();
    const end = uses.begin({ process, permit });
    await caller.work(rng.pick([0, 1, 30, 300, 1000]) * rng.next(), permit.signal);
    if (rng.chance(0.3))
      await pool.updateLeaseTime(permit, rng.pick([100, 400, 3000])).catch((error: unknown) => caller.tolerate(error));
    await caller.work(rng.pick([0, 30, 1000]) * rng.next(), permit.signal);
    end();
    await pool.tryRelease(permit);
  } catch (error) {
    place.left();
    caller.tolerate(error);
  }
};

/** Permits with ids and leases. */
export const expirablePermits: Scenario = {
  name: 'expirable permits',
  mayKill: false,
  setup: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  start: (world) => {
    const { rng } = world;
    const uses = new Uses(world, rng.whole(1, 3));
    const callers = Array.from({ length: rng.whole(2, 6) }, () => world.caller());
    return {
      callers: callers.map((caller) => repeat(rng.whole(1, 3), () => takeOnce(caller, uses))),
      finish: () => {
        const { available, total } = uses;
        if (available === total) return;
        world.simulation.violate('permits', `${available} permits are left of ${total} when all were given back`);
      },
    };
  },
};
