import type { Hold } from '../../../lib/holds/hold.js';
import type { Lock } from '../../../lib/locks/lock.js';
import type { LockService } from '../../../lib/lock.service.js';
import type { Task } from '../checks/sections.js';
import { watchFairOrder } from '../checks/order.js';
import type { Caller, LockRequest } from '../world/caller.js';
import { DRIFT } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const KINDS = {
  plain: (locks: LockService, name: string): Lock => locks.getLock(name),
  fair: (locks: LockService, name: string): Lock => locks.getFairLock(name),
  fenced: (locks: LockService, name: string): Lock => locks.getFencedLock(name),
  spin: (locks: LockService, name: string): Lock => locks.getSpinLock(name),
} as const;

/** The locks of one run, as a caller gets them. */
interface Locks {
  readonly names: readonly string[];
  readonly lockOf: (caller: Caller, name: string) => Lock;
}

/** Work of a holder: it pauses, re-enters, extends, takes another lock, and leaves. */
class Work {
  constructor(
    private readonly caller: Caller,
    private readonly name: string,
    private readonly locks: Locks,
  ) {}

  async run(hold: Hold, task: Task): Promise<void> {
    const { rng } = this.caller.world;
    await this.caller.work(this.duration(), hold.signal);
    for (let steps = rng.whole(0, 3); steps > 0 && !hold.signal.aborted; steps -= 1) await this.step(hold, task);
  }

  private async step(hold: Hold, task: Task): Promise<void> {
    const { caller } = this;
    const { rng, profile } = caller.world;
    const what = rng.pick(['re-enter', 're-enter', 'extend', 'work', 'siblings', 'other'] as const);
    if (what === 'extend')
      await hold.extend(rng.pick([200, 800, 3000])).catch((error: unknown) => caller.tolerate(error));
    else if (what === 're-enter') await this.take(this.name, task);
    else if (what === 'siblings') await Promise.all([this.take(this.name, task), this.take(this.name, task)]);
    else if (what === 'other') await this.takeNext(task);
    else await caller.work(rng.between(0, 1.5) * profile.renewedLease, hold.signal);
  }

  /** Takes the next lock. All callers take the locks in one order, so that there is no deadlock. */
  private async takeNext(within: Task): Promise<void> {
    const { names } = this.locks;
    const next = names[names.indexOf(this.name) + 1];
    if (next !== undefined) await this.take(next, within);
  }

  private async take(name: string, within: Task): Promise<void> {
    const { caller, locks } = this;
    const request: LockRequest = { lease: caller.world.lease(), wait: 20_000, within };
    await caller.locked(locks.lockOf(caller, name), request, async (hold) => caller.work(this.duration(), hold.signal));
  }

  private duration(): number {
    const { rng, profile } = this.caller.world;
    return rng.pick([0, 1, 20, 0.4 * profile.renewedLease]) * rng.between(0.2, 1.2);
  }
}

const takeOnce = async (caller: Caller, locks: Locks): Promise<void> => {
  const { world, process } = caller;
  const { rng } = world;
  const name = rng.pick(locks.names);
  const lock = locks.lockOf(caller, name);
  const wait = world.wait();
  const signal = rng.chance(0.25) ? caller.abortsWithin(Math.min(wait, 400)) : undefined;
  const lease = world.lease();
  const atLeast = lease === undefined && rng.chance(0.2) ? rng.pick([200, 1000, 10_000]) : 0;
  const work = new Work(caller, name, locks);
  const run = async (hold: Hold, task: Task): Promise<void> => {
    if (atLeast > 0 && !world.sections.wasForced(hold.owner)) world.minimums.keep(caller, hold, atLeast);
    await work.run(hold, task);
  };
  const request: LockRequest = { lease, wait, signal };
  const how = rng.pick(['callback', 'by hand', 'scope'] as const);
  if (how === 'callback') await caller.locked(lock, request, run);
  else if (how === 'by hand') await caller.holding(lock, request, run);
  else await process.locks.runInScope(() => caller.holding(lock, request, run));
  await caller.work(rng.pick([0, 0, 5, 100]) * rng.next());
};

/** Takes a lock whenever one was lost, or was re-entered by another caller. */
const reactToEvents = (caller: Caller, locks: Locks): void => {
  const { process, world } = caller;
  const reactsTo = world.rng.pick(['lost', 're-entered'] as const);
  let times = 0;
  const react = (): void => {
    if (times >= 3) return;
    times += 1;
    const lock = locks.lockOf(caller, world.rng.pick(locks.names));
    void caller.locked(lock, { wait: 1500 }, (hold) => caller.work(5, hold.signal));
  };
  process.locks.onEvent(reactsTo, react);
};

/** Ends the holds of a lock by force, as an operator may. */
const forceRelease = async (caller: Caller, { names, lockOf }: Locks): Promise<void> => {
  const { world, process } = caller;
  await caller.work(world.rng.between(0, 3000));
  const lock = lockOf(caller, world.rng.pick(names));
  // The server refuses a request after an instant of its clock, which the process knows from the last answer.
  const sinceAnswer = world.simulation.now - process.lastAnswerAt;
  const settled = world.sections.force(lock.name, 2 * DRIFT * (sinceAnswer + world.profile.commandTimeout) + 1);
  process.note(() => `${caller.name} force-releases ${lock.name}`);
  await lock.forceRelease().catch((error: unknown) => caller.tolerate(error));
  settled();
};

/** Two or three processes that contend for one or two locks of one of these kinds. */
const contention = (title: string, kinds: readonly (keyof typeof KINDS)[]): Scenario => ({
  name: title,
  mayKill: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  start: (world) => {
    const { rng, profile, simulation, server } = world;
    const kind = rng.pick(kinds);
    const names = rng.pick([['a'], ['a'], ['a', 'b']]);
    const locks: Locks = { names, lockOf: ({ process }, name) => KINDS[kind](process.locks, name) };
    if (kind === 'fair' && profile.name === 'quiet') watchFairOrder(simulation, server);
    const callers = Array.from({ length: rng.whole(2, 6) }, () => world.caller());
    const admins = rng.chance(0.12) ? [world.caller()] : [];
    if (rng.chance(0.3)) reactToEvents(world.caller(), locks);
    return {
      callers: [
        ...callers.map((caller) => repeat(rng.whole(1, 3), () => takeOnce(caller, locks))),
        ...admins.map((caller) => forceRelease(caller, locks)),
      ],
    };
  },
});

export const exclusiveLocks = contention('exclusive locks', ['plain', 'plain', 'plain', 'fair', 'fenced', 'spin']);
export const fairLocks = contention('fair locks', ['fair']);
