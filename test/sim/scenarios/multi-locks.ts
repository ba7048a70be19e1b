import type { Hold } from '../../../lib/holds/hold.js';
import type { Lock } from '../../../lib/locks/lock.js';
import type { Rng } from '../../chaos/rng.js';
import type { Actor } from '../stage/actor.js';
import type { Stage } from '../stage/stage.js';
import { repeat, type Scenario } from './scenario.js';

const NAMES = ['a', 'b', 'c', 'd'];

const shuffled = <T>(rng: Rng, items: readonly T[]): readonly T[] =>
  items
    .map((item) => ({ item, order: rng.next() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);

/** A lock on the server that its name stands for. */
const lockOf = ({ process, stage }: Actor, name: string): Lock => {
  const index = NAMES.indexOf(name) % stage.servers.length;
  const server = stage.servers[index];
  return (server && index > 0 ? process.locks.forConnection(server.name) : process.locks).getLock(name);
};

const together = (actor: Actor): Lock => {
  const { rng } = actor.stage;
  const names = shuffled(rng, NAMES).slice(0, rng.whole(2, 3));
  return actor.process.locks.getMultiLock(...names.map((name) => lockOf(actor, name)));
};

const majority = (actor: Actor): Lock =>
  actor.process.locks.getRedLock(...['a', 'b', 'c'].map((name) => lockOf(actor, name)));

const takeOnce = async (actor: Actor, lock: Lock): Promise<void> => {
  const { stage } = actor;
  const { rng, profile } = stage;
  const wait = stage.wait();
  const signal = rng.chance(0.25) ? actor.abortsWithin(Math.min(wait, 600)) : undefined;
  const asking = { lease: stage.lease(), wait, signal, isFree: () => false, isStepwise: true };
  const duration = (): number => rng.pick([0, 1, 20, 0.5 * profile.watchdogTimeout]) * rng.between(0.2, 1.5);
  await actor.locked(lock, asking, async (hold: Hold, task) => {
    await actor.work(duration(), hold.signal);
    if (rng.chance(0.3))
      await actor.locked(lock, { ...asking, wait: 20_000, signal: undefined, within: task }, async () =>
        actor.work(duration(), hold.signal),
      );
    if (rng.chance(0.2)) await hold.extend(500).catch((error: unknown) => actor.tolerate(error));
    await actor.work(duration(), hold.signal);
  });
};

const crowdOf = (stage: Stage): readonly Promise<unknown>[] => {
  const { rng } = stage;
  const kind = stage.servers.length === 3 ? majority : together;
  const single = async (actor: Actor): Promise<void> => takeOnce(actor, lockOf(actor, rng.pick(NAMES)));
  const crowd = Array.from({ length: rng.whole(2, 5) }, () => stage.actor());
  return crowd.map((actor) =>
    repeat(rng.whole(1, 3), () => (rng.chance(0.3) ? single(actor) : takeOnce(actor, kind(actor)))),
  );
};

/** Several locks as one: all of them, on one server or two, or a majority on three. */
export const multiLocks: Scenario = {
  name: 'multi-locks',
  mayKill: true,
  cast: (rng) => ({ servers: rng.whole(1, 3), processes: rng.whole(2, 3) }),
  play: (stage) => ({ actors: crowdOf(stage) }),
};
