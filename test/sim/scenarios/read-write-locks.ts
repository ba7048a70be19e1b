import type { Hold } from '../../../lib/holds/hold.js';
import type { Lock } from '../../../lib/locks/lock.js';
import { Arrivals } from '../checks/arrivals.js';
import { WaitingWriters } from '../checks/waiting-writers.js';
import type { Task } from '../checks/sections.js';
import type { Caller, LockRequest } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

type Half = 'read' | 'write';
type HalfOf = (caller: Caller, half: Half) => Lock;

/** Changes halves, works, and possibly changes back. Resolves with the hold of the end. */
const convert = async (caller: Caller, first: Hold, mode: Half): Promise<Hold> => {
  const { rng } = caller.world;
  let hold = first;
  let half = mode;
  try {
    do {
      const options = rng.chance(0.3) ? { lease: rng.pick([200, 800, 3000]) } : undefined;
      const next = half === 'read' ? await hold.tryUpgrade(options) : await hold.downgrade(options);
      if (!next) return hold;
      hold = next;
      half = half === 'read' ? 'write' : 'read';
      await caller.work(rng.between(0, 300), hold.signal);
    } while (rng.chance(0.5));
  } catch (error) {
    caller.tolerate(error);
  }
  return hold;
};

/** The checks of the order in which callers get the lock. */
interface Order {
  readonly readers: Arrivals;
  /** Absent: writers have no preference. */
  readonly writers: WaitingWriters | undefined;
}

/** Longer than any command, cut and retry of a run takes, one after the other, ms. */
const longestOutage = ({ profile }: SimulatedWorld): number => 2000 + 10 * profile.commandTimeout;

const watchWriters = (world: SimulatedWorld): WaitingWriters => {
  const { simulation, server, processes, profile } = world;
  const outage = longestOutage(world);
  // A reader may miss a release by a writer, too, until its next poll.
  const reader = Math.max(profile.fairWaitTimeout, profile.safetyPoll) + outage;
  return new WaitingWriters(simulation, server, 'a', processes, { reader, announcement: outage });
};

const takeOnce = async (caller: Caller, halfOf: HalfOf, { readers, writers }: Order): Promise<void> => {
  const { world, process } = caller;
  const { rng, profile } = world;
  const mode = rng.pick(['read', 'read', 'write'] as const);
  const wait = world.wait();
  const signal = rng.chance(0.25) ? caller.abortsWithin(Math.min(wait, 400)) : undefined;
  const duration = (): number => rng.pick([0, 1, 20, 0.5 * profile.renewedLease]) * rng.between(0.2, 1.5);
  const again = async (half: Half, within: Task): Promise<void> => {
    const request: LockRequest = { lease: world.lease(), wait: 20_000, mode: half, within };
    await caller.locked(halfOf(caller, half), request, (hold) => caller.work(duration(), hold.signal));
  };
  const waited = writers?.begin({ half: mode, who: caller.name, process });
  const place = mode === 'read' ? readers.arrive({ who: caller.name, process, wait, signal }) : undefined;
  await caller.locked(halfOf(caller, mode), { lease: world.lease(), wait, signal, mode }, async (hold: Hold, task) => {
    place?.granted();
    waited?.();
    await caller.work(duration(), hold.signal);
    if (rng.chance(0.4)) await again(mode, task);
    // A writer may read as well. A reader that wants to write would wait for itself.
    if (mode === 'write' && rng.chance(0.5)) await again('read', task);
    const last = rng.chance(0.5) ? await convert(caller, hold, mode) : hold;
    if (rng.chance(0.3)) await last.extend(500).catch((error: unknown) => caller.tolerate(error));
    await caller.work(duration(), last.signal);
  });
  place?.left();
  waited?.();
};

/**
 * A reader works for long. A writer of another process waits beside it until it dies, is aborted, or is aborted while its
 * connection breaks. Readers come before and after that.
 */
const besiege = (world: SimulatedWorld, halfOf: HalfOf, writers: WaitingWriters): readonly Promise<unknown>[] => {
  const { rng, processes, profile, simulation } = world;
  const [reading, writing] = processes;
  const end = rng.between(300, 4000);
  const abort = new AbortController();
  const take = async (caller: Caller, half: Half, from: number, ms: number, signal?: AbortSignal): Promise<void> => {
    await caller.work(from);
    const waited = writers.begin({ half, who: caller.name, process: caller.process });
    const request: LockRequest = { lease: 60_000, wait: 90_000, mode: half, signal };
    await caller.locked(halfOf(caller, half), request, (hold) => {
      waited();
      return caller.work(ms, hold.signal);
    });
    waited();
  };
  const fate = rng.pick(['dies', 'is cut', 'is aborted'] as const);
  simulation.at(end, () => {
    if (fate === 'dies' && processes.filter(({ isAlive }) => isAlive).length > 1) return writing?.kill();
    if (fate === 'is cut') writing?.cutOne(rng.between(0.5, 4) * profile.commandTimeout);
    return writing?.act(rng.between(0, 5), () => abort.abort(new Error('The writer gives up')));
  });
  const later = Array.from({ length: rng.whole(1, 3) }, () => world.caller(reading));
  return [
    take(world.caller(reading), 'read', 0, end + profile.fairWaitTimeout + rng.between(0, 30_000)),
    take(world.caller(writing), 'write', rng.between(0, 0.9) * end, 5, abort.signal),
    ...later.map((caller) => take(caller, 'read', rng.between(0, 1.5) * end, 5)),
  ];
};

/** Readers share a lock, writers exclude all others. */
export const readWriteLocks: Scenario = {
  name: 'read-write locks',
  mayKill: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  start: (world) => {
    const { rng } = world;
    const options = rng.chance(0.4) ? ({ preference: 'writer' } as const) : undefined;
    const halfOf: HalfOf = ({ process }, half) => {
      const lock = process.locks.getReadWriteLock('a', options);
      return half === 'read' ? lock.readLock() : lock.writeLock();
    };
    const writers = options && watchWriters(world);
    const order: Order = { readers: new Arrivals(world.simulation, 'a'), writers };
    const callers = Array.from({ length: rng.whole(2, 6) }, () => world.caller());
    const loads = callers.map((caller) => repeat(rng.whole(1, 3), () => takeOnce(caller, halfOf, order)));
    const isBesieged = writers && world.profile.name !== 'quiet' && rng.chance(0.5);
    return { callers: isBesieged ? [...loads, ...besiege(world, halfOf, writers)] : loads };
  },
};
