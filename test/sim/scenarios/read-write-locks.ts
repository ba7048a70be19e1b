import type { Hold } from '../../../lib/holds/hold.js';
import type { Lock } from '../../../lib/locks/lock.js';
import { Arrivals } from '../checks/arrivals.js';
import type { Task } from '../checks/sections.js';
import type { Caller, LockRequest } from '../world/caller.js';
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

const takeOnce = async (caller: Caller, halfOf: HalfOf, readers: Arrivals): Promise<void> => {
  const { world, process } = caller;
  const { rng, profile } = world;
  const mode = rng.pick(['read', 'read', 'write'] as const);
  const wait = world.wait();
  const signal = rng.chance(0.25) ? caller.abortsWithin(Math.min(wait, 400)) : undefined;
  const duration = (): number => rng.pick([0, 1, 20, 0.5 * profile.watchdogTimeout]) * rng.between(0.2, 1.5);
  const again = async (half: Half, within: Task): Promise<void> => {
    const request: LockRequest = { lease: world.lease(), wait: 20_000, mode: half, within };
    await caller.locked(halfOf(caller, half), request, (hold) => caller.work(duration(), hold.signal));
  };
  const place = mode === 'read' ? readers.arrive({ who: caller.name, process, wait, signal }) : undefined;
  await caller.locked(halfOf(caller, mode), { lease: world.lease(), wait, signal, mode }, async (hold: Hold, task) => {
    place?.granted();
    await caller.work(duration(), hold.signal);
    if (rng.chance(0.4)) await again(mode, task);
    // A writer may read as well. A reader that wants to write would wait for itself.
    if (mode === 'write' && rng.chance(0.5)) await again('read', task);
    const last = rng.chance(0.5) ? await convert(caller, hold, mode) : hold;
    if (rng.chance(0.3)) await last.extend(500).catch((error: unknown) => caller.tolerate(error));
    await caller.work(duration(), last.signal);
  });
  place?.left();
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
    const readers = new Arrivals(world.simulation, 'a');
    const callers = Array.from({ length: rng.whole(2, 6) }, () => world.caller());
    return { callers: callers.map((caller) => repeat(rng.whole(1, 3), () => takeOnce(caller, halfOf, readers))) };
  },
};
