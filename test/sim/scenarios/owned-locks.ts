import { parseOwner } from '../../../lib/context/chosen-owner.js';
import type { Hold } from '../../../lib/holds/hold.js';
import { beliefOf } from '../checks/belief.js';
import type { Task } from '../checks/sections.js';
import { DRIFT, type SimulatedWorld } from '../world/simulated-world.js';
import type { Caller } from '../world/caller.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'a';
const OWNERS = ['user:7', 'user:8', 'session 9'] as const;
type Owner = (typeof OWNERS)[number];

/** Redis counts in whole milliseconds, and so do requests. */
const GRAIN_MS = 2;
/** After what time code with a signal is told of what others end, without messages, ms. */
const LISTENS_AFTER_MS = 100;

/** What one owner has asked for, by any process, and what it has. */
class OwnerRecord {
  /** All work of one owner may overlap. */
  readonly task: Task = { within: undefined };
  /** Called when the owner has released the lock, of which its other holds learn later. */
  readonly onReleased = new Set<() => void>();
  /** Calls that release it, so far, and those that have not settled. */
  releases = 0;
  releasing = 0;
  /** Executed releases that have ended the lock, and executed acquisitions. */
  released = 0;
  acquired = 0;

  /** Resolves with the answer of a call that releases the lock; `undefined`: it has failed. */
  async release<T>(caller: Caller, call: () => Promise<T>): Promise<T | undefined> {
    this.releases += 1;
    this.releasing += 1;
    try {
      return await call();
    } catch (error) {
      caller.tolerate(error);
      return undefined;
    } finally {
      // Clocks may have drifted apart since the server answered last.
      const { simulation, profile } = caller.world;
      const drift = 2 * DRIFT * (simulation.now - caller.process.lastAnswerAt + profile.commandTimeout) + 1;
      simulation.at(simulation.now + drift, () => (this.releasing -= 1));
    }
  }
}

/** The owners of a run, and what its rules say of them. */
class OwnerRecords {
  private readonly records = new Map<string, OwnerRecord>(
    OWNERS.map((owner) => [parseOwner(owner), new OwnerRecord()]),
  );

  constructor(private readonly world: SimulatedWorld) {
    const { server, simulation } = world;
    server.onExecuted(({ script, args, reply }) => {
      const owner = String(args['owner']);
      const record = this.records.get(owner);
      if (!record) return;
      if (script.endsWith('/acquire') && (reply.length === 2 || reply[0] === 'acquired')) record.acquired += 1;
      if (!/\/release(-chosen)?$/.test(script) || reply.includes('not-held') || reply[0] === 'late') return;
      record.released += 1;
      for (const onReleased of record.onReleased) onReleased();
      if (record.releasing > 0) return;
      simulation.violate('released when asked', `${owner} has lost ${NAME} by a release that nobody had asked for`);
    });
  }

  of(owner: Owner): OwnerRecord {
    const record = this.records.get(parseOwner(owner));
    if (!record) throw new Error(`${owner} has no record`);
    return record;
  }

  /** Milliseconds for which the server keeps the lock of this owner; below 0: it does not have it. */
  left(owner: Owner): number {
    return this.world.server.remaining('exclusive', NAME, parseOwner(owner));
  }
}

/** Works under a hold of an owner, beside its other holds, and watches what ends it. */
const workUnder = async (caller: Caller, { owner, hold }: { owner: Owner; hold: Hold }, records: OwnerRecords) => {
  const { world, process, name: who } = caller;
  const { rng, profile, simulation } = world;
  const record = records.of(owner);
  const place = { who, process, server: world.lockServer, lock: NAME, mode: 'exclusive' } as const;
  const leave = world.sections.enter({ ...place, task: record.task, belief: beliefOf(hold) });
  const { signal } = hold;
  const onReleased = (): void => {
    leave();
    record.onReleased.delete(onReleased);
    const { released } = record;
    if (profile.name !== 'quiet') return;
    // The answer to the release, the message, and the question whether it is so.
    simulation.at(simulation.now + LISTENS_AFTER_MS + 12 * world.delays.longest, () => {
      // An owner that has the lock again may have it for less.
      const believed = beliefOf(hold).remaining / process.clock.rate;
      if (!process.isAlive || record.released > released || believed <= Math.max(0, records.left(owner)) + 1) return;
      simulation.violate('told of the end', `${who} knows nothing of the release by ${owner}`);
    });
  };
  record.onReleased.add(onReleased);
  await caller.work(rng.pick([0, 10, 200, 900]) * rng.next(), rng.chance(0.7) ? signal : undefined);
  if (rng.chance(0.2)) await hold.extend(rng.pick([100, 700, 3000])).catch((error: unknown) => caller.tolerate(error));
  await caller.work(rng.pick([0, 20, 400]) * rng.next(), signal);
  record.onReleased.delete(onReleased);
  leave();
};

const take = async (caller: Caller, owner: Owner, fenced: boolean, records: OwnerRecords): Promise<void> => {
  const { world, process } = caller;
  const { rng } = world;
  const record = records.of(owner);
  const { released } = record;
  const request = { lease: rng.pick([100, 400, 1500, 8000]), wait: rng.pick([0, 30, 300, 20_000]) };
  const hold = await caller
    .answer(NAME, request, () => process.locks.acquire(NAME, { ...request, owner, fenced }))
    .catch((error: unknown) => void caller.tolerate(error));
  if (!hold) return;
  // It may have been released by another call meanwhile, which its process is told only if its code has the signal.
  if (record.released === released) await workUnder(caller, { owner, hold }, records);
  if (rng.chance(0.5)) return;
  await record.release(caller, () => hold.release());
};

/** Extends the lock, in one process after the other: what is asked twice has one effect. */
const extend = async (caller: Caller, owner: Owner, records: OwnerRecords): Promise<void> => {
  const { world } = caller;
  const { rng, simulation } = world;
  const record = records.of(owner);
  const lease = rng.pick([100, 600, 4000]);
  const { released } = record;
  const begin = simulation.now;
  const had = records.left(owner);
  const { locks } = caller.process;
  const isHeld = await locks
    .extend({ name: NAME, owner }, lease)
    .catch((error: unknown) => void caller.tolerate(error));
  if (isHeld === undefined || record.released !== released) return;
  const passed = simulation.now - begin;
  const least = Math.max(had, isHeld ? lease : 0) - (1 + 3 * DRIFT) * passed - DRIFT * lease - GRAIN_MS;
  if (least <= 0 || records.left(owner) >= least) return;
  simulation.violate(
    'extended',
    `${owner} has ${records.left(owner).toFixed(1)} ms left instead of ${least.toFixed(1)}`,
  );
};

/** Releases the lock, by a call that may be repeated: it answers whether it has ended the lock. */
const release = async (caller: Caller, owner: Owner, records: OwnerRecords): Promise<void> => {
  const { simulation } = caller.world;
  const record = records.of(owner);
  const { acquired, released } = record;
  const isAlone = record.releasing === 0;
  const releases = record.releases + 1;
  const { locks } = caller.process;
  const wasHeld = await record.release(caller, () => locks.release({ name: NAME, owner }));
  if (wasHeld === undefined) return;
  if (record.acquired === acquired && records.left(owner) > 0) {
    simulation.violate('released', `${owner} still has ${NAME} after its release`);
  }
  if (isAlone && record.releases === releases && record.released > released && !wasHeld) {
    simulation.violate('released', `${owner} has released ${NAME} and is told that it had not held it`);
  }
};

const act = async (caller: Caller, owner: Owner, fenced: boolean, records: OwnerRecords): Promise<void> => {
  const { rng } = caller.world;
  const [takes, extends_] = [rng.chance(0.6), rng.chance(0.6)];
  if (takes) await take(caller, owner, fenced, records);
  else if (extends_) await extend(caller, owner, records);
  else await release(caller, owner, records);
  await caller.work(rng.pick([0, 0, 10, 150]) * rng.next());
};

const takeInTurn = async (caller: Caller): Promise<void> => {
  const { rng } = caller.world;
  const request = { lease: rng.chance(0.5) ? undefined : 300, wait: 20_000 };
  await caller.locked(caller.process.locks.getLock(NAME), request, (hold) =>
    caller.work(rng.pick([0, 1, 40]), hold.signal),
  );
};

/** A lock of persons and sessions, each in several processes, beside callers that wait for it in turn. */
export const ownedLocks: Scenario = {
  name: 'owned locks',
  mayKill: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3), hasLateWakeUps: true }),
  start: (world) => {
    const { rng } = world;
    const records = new OwnerRecords(world);
    const fenced = rng.chance(0.3);
    const owners = Array.from({ length: rng.whole(3, 6) }, () => [world.caller(), rng.pick(OWNERS)] as const);
    const others = Array.from({ length: fenced ? 0 : rng.whole(0, 2) }, () => world.caller());
    return {
      callers: [
        ...owners.map(([caller, owner]) => repeat(rng.whole(2, 6), () => act(caller, owner, fenced, records))),
        ...others.map((caller) => repeat(rng.whole(1, 4), () => takeInTurn(caller))),
      ],
    };
  },
};
