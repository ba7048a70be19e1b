import { counterTable } from '../../../lib/backend/memory/counters.js';
import { deadlineTable } from '../../../lib/backend/memory/permits.js';
import type { Permit } from '../../../lib/synchronizers/permit.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Actor } from '../stage/actor.js';
import type { Stage } from '../stage/stage.js';
import { repeat, type Scenario } from './scenario.js';
import { permitDeadlines } from '../../../lib/keys/redisson-keys.js';

const NAME = 'permits';
/** A lease is told in whole milliseconds. */
const GRAIN_MS = 1;

interface Use {
  readonly process: SimulatedProcess;
  readonly permit: Permit;
}

/** Permits in use: no more than there are by what their owners believe, and none for longer than the server says. */
class Uses {
  private readonly open = new Set<Use>();

  constructor(
    private readonly stage: Stage,
    readonly total: number,
  ) {
    stage.server.put(NAME, total);
    stage.simulation.checks.push(() => this.check());
  }

  begin(use: Use): () => void {
    this.open.add(use);
    return () => this.open.delete(use);
  }

  /** How many could be taken now, those included whose lease is over. */
  get available(): number {
    const { store } = this.stage.server;
    const out = deadlineTable(store).find(permitDeadlines(NAME)) ?? new Map<string, number>();
    const over = [...out.values()].filter((deadline) => deadline <= store.now()).length;
    return (counterTable(store).find(NAME) ?? 0) + over;
  }

  private check(): void {
    if (this.open.size === 0) return;
    const { simulation, server } = this.stage;
    const out = deadlineTable(server.store).find(permitDeadlines(NAME)) ?? new Map<string, number>();
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

const takeOnce = async (actor: Actor, uses: Uses): Promise<void> => {
  const { stage, process } = actor;
  const { rng } = stage;
  const pool = process.locks.getPermitExpirableSemaphore(NAME);
  const wait = stage.wait();
  const lease = stage.lease();
  const signal = rng.chance(0.2) ? actor.abortsWithin(Math.min(wait, 400)) : undefined;
  const options = { wait, ...(lease !== undefined && { lease }), ...(signal && { signal }) };
  try {
    const permit = await actor.answer(NAME, { wait, signal, isFree: () => uses.available >= 1 }, () =>
      pool.acquire(options),
    );
    const end = uses.begin({ process, permit });
    await actor.work(rng.pick([0, 1, 30, 300, 1000]) * rng.next(), permit.signal);
    if (rng.chance(0.3))
      await pool.updateLeaseTime(permit, rng.pick([100, 400, 3000])).catch((error: unknown) => actor.tolerate(error));
    await actor.work(rng.pick([0, 30, 1000]) * rng.next(), permit.signal);
    end();
    await pool.tryRelease(permit);
  } catch (error) {
    actor.tolerate(error);
  }
};

/** Permits with ids and leases. */
export const expirablePermits: Scenario = {
  name: 'expirable permits',
  mayKill: false,
  cast: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  play: (stage) => {
    const { rng } = stage;
    const uses = new Uses(stage, rng.whole(1, 3));
    const crowd = Array.from({ length: rng.whole(2, 6) }, () => stage.actor());
    return {
      actors: crowd.map((actor) => repeat(rng.whole(1, 3), () => takeOnce(actor, uses))),
      finish: () => {
        const { available, total } = uses;
        if (available === total) return;
        stage.simulation.violate('permits', `${available} permits are left of ${total} when all were given back`);
      },
    };
  },
};
