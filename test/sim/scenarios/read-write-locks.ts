import type { Hold } from '../../../lib/holds/hold.js';
import type { Lock } from '../../../lib/locks/lock.js';
import type { Task } from '../checks/sections.js';
import type { Actor, Asking } from '../stage/actor.js';
import { repeat, type Scenario } from './scenario.js';

type Half = 'read' | 'write';
type HalfOf = (actor: Actor, half: Half) => Lock;

const takeOnce = async (actor: Actor, halfOf: HalfOf): Promise<void> => {
  const { stage } = actor;
  const { rng, profile } = stage;
  const mode = rng.pick(['read', 'read', 'write'] as const);
  const wait = stage.wait();
  const signal = rng.chance(0.25) ? actor.abortsWithin(Math.min(wait, 400)) : undefined;
  const duration = (): number => rng.pick([0, 1, 20, 0.5 * profile.watchdogTimeout]) * rng.between(0.2, 1.5);
  const again = async (half: Half, within: Task): Promise<void> => {
    const asking: Asking = { lease: stage.lease(), wait: 20_000, mode: half, within };
    await actor.locked(halfOf(actor, half), asking, (hold) => actor.work(duration(), hold.signal));
  };
  await actor.locked(halfOf(actor, mode), { lease: stage.lease(), wait, signal, mode }, async (hold: Hold, task) => {
    await actor.work(duration(), hold.signal);
    if (rng.chance(0.4)) await again(mode, task);
    // A writer may read as well; a reader that would write waits for itself.
    if (mode === 'write' && rng.chance(0.5)) await again('read', task);
    if (rng.chance(0.3)) await hold.extend(500).catch((error: unknown) => actor.tolerate(error));
    await actor.work(duration(), hold.signal);
  });
};

/** Readers beside each other, writers alone. */
export const readWriteLocks: Scenario = {
  name: 'read-write locks',
  mayKill: true,
  cast: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  play: (stage) => {
    const { rng } = stage;
    const options = rng.chance(0.4) ? ({ preference: 'writer' } as const) : undefined;
    const halfOf: HalfOf = ({ process }, half) => {
      const lock = process.locks.getReadWriteLock('a', options);
      return half === 'read' ? lock.readLock() : lock.writeLock();
    };
    const crowd = Array.from({ length: rng.whole(2, 6) }, () => stage.actor());
    return { actors: crowd.map((actor) => repeat(rng.whole(1, 3), () => takeOnce(actor, halfOf))) };
  },
};
