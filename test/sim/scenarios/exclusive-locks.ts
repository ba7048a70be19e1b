import type { Hold } from '../../../lib/holds/hold.js';
import type { Lock } from '../../../lib/locks/lock.js';
import type { LockService } from '../../../lib/lock.service.js';
import type { Task } from '../checks/sections.js';
import { watchFairOrder } from '../checks/order.js';
import type { Actor, Asking } from '../stage/actor.js';
import { DRIFT } from '../stage/stage.js';
import { repeat, type Scenario } from './scenario.js';

const KINDS = {
  plain: (locks: LockService, name: string): Lock => locks.getLock(name),
  fair: (locks: LockService, name: string): Lock => locks.getFairLock(name),
  fenced: (locks: LockService, name: string): Lock => locks.getFencedLock(name),
  spin: (locks: LockService, name: string): Lock => locks.getSpinLock(name),
} as const;

/** The locks of one run, as one actor sees them. */
interface Locks {
  readonly names: readonly string[];
  readonly lockOf: (actor: Actor, name: string) => Lock;
}

/** Work of a holder: it pauses, re-enters, extends, takes another lock, and leaves. */
class Work {
  constructor(
    private readonly actor: Actor,
    private readonly name: string,
    private readonly locks: Locks,
  ) {}

  async run(hold: Hold, task: Task): Promise<void> {
    const { rng } = this.actor.stage;
    await this.actor.work(this.duration(), hold.signal);
    for (let steps = rng.whole(0, 3); steps > 0 && !hold.signal.aborted; steps -= 1) await this.step(hold, task);
  }

  private async step(hold: Hold, task: Task): Promise<void> {
    const { actor } = this;
    const { rng, profile } = actor.stage;
    const what = rng.pick(['re-enter', 're-enter', 'extend', 'work', 'siblings', 'other'] as const);
    if (what === 'extend')
      await hold.extend(rng.pick([200, 800, 3000])).catch((error: unknown) => actor.tolerate(error));
    else if (what === 're-enter') await this.take(this.name, task);
    else if (what === 'siblings') await Promise.all([this.take(this.name, task), this.take(this.name, task)]);
    else if (what === 'other') await this.takeNext(task);
    else await actor.work(rng.between(0, 1.5) * profile.watchdogTimeout, hold.signal);
  }

  /** Takes the next lock. All actors take the locks in one order, so that they never wait in a circle. */
  private async takeNext(within: Task): Promise<void> {
    const { names } = this.locks;
    const next = names[names.indexOf(this.name) + 1];
    if (next !== undefined) await this.take(next, within);
  }

  private async take(name: string, within: Task): Promise<void> {
    const { actor, locks } = this;
    const asking: Asking = { lease: actor.stage.lease(), wait: 20_000, within };
    await actor.locked(locks.lockOf(actor, name), asking, async (hold) => actor.work(this.duration(), hold.signal));
  }

  private duration(): number {
    const { rng, profile } = this.actor.stage;
    return rng.pick([0, 1, 20, 0.4 * profile.watchdogTimeout]) * rng.between(0.2, 1.2);
  }
}

const takeOnce = async (actor: Actor, locks: Locks): Promise<void> => {
  const { stage, process } = actor;
  const { rng } = stage;
  const name = rng.pick(locks.names);
  const lock = locks.lockOf(actor, name);
  const wait = stage.wait();
  const signal = rng.chance(0.25) ? actor.abortsWithin(Math.min(wait, 400)) : undefined;
  const lease = stage.lease();
  const atLeast = lease === undefined && rng.chance(0.2) ? rng.pick([200, 1000, 10_000]) : 0;
  const work = new Work(actor, name, locks);
  const run = async (hold: Hold, task: Task): Promise<void> => {
    if (atLeast > 0 && !stage.sections.wasForced(hold.owner)) stage.minimums.keep(actor, hold, atLeast);
    await work.run(hold, task);
  };
  const asking: Asking = { lease, wait, signal };
  const how = rng.pick(['callback', 'by hand', 'scope'] as const);
  if (how === 'callback') await actor.locked(lock, asking, run);
  else if (how === 'by hand') await actor.holding(lock, asking, run);
  else await process.locks.runInScope(() => actor.holding(lock, asking, run));
  await actor.work(rng.pick([0, 0, 5, 100]) * rng.next());
};

/** Takes a lock whenever a lock was lost. */
const listenForLoss = (actor: Actor, locks: Locks): void => {
  const { process, stage } = actor;
  let times = 0;
  process.locks.onEvent(({ type }) => {
    times += 1;
    if (type !== 'lost' || times > 5) return;
    const lock = locks.lockOf(actor, stage.rng.pick(locks.names));
    void actor.locked(lock, { wait: 1500 }, (hold) => actor.work(5, hold.signal));
  });
};

/** Ends the holds of a lock by force, as an operator may. */
const forceRelease = async (actor: Actor, { names, lockOf }: Locks): Promise<void> => {
  const { stage, process } = actor;
  await actor.work(stage.rng.between(0, 3000));
  const lock = lockOf(actor, stage.rng.pick(names));
  const settled = stage.sections.force(lock.name, 2 * DRIFT * stage.profile.commandTimeout + 1);
  process.note(() => `${actor.name} force-releases ${lock.name}`);
  await lock.forceRelease().catch((error: unknown) => actor.tolerate(error));
  settled();
};

/** Two processes or three that want one lock or two, of one kind. */
export const exclusiveLocks: Scenario = {
  name: 'exclusive locks',
  mayKill: true,
  cast: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  play: (stage) => {
    const { rng, profile, simulation, server } = stage;
    const kind = rng.pick(['plain', 'plain', 'plain', 'fair', 'fenced', 'spin'] as const);
    const names = rng.pick([['a'], ['a'], ['a', 'b']]);
    const locks: Locks = { names, lockOf: ({ process }, name) => KINDS[kind](process.locks, name) };
    if (kind === 'fair' && profile.name === 'quiet') watchFairOrder(simulation, server);
    const crowd = Array.from({ length: rng.whole(2, 6) }, () => stage.actor());
    const admins = rng.chance(0.12) ? [stage.actor()] : [];
    if (rng.chance(0.3)) listenForLoss(stage.actor(), locks);
    return {
      actors: [
        ...crowd.map((actor) => repeat(rng.whole(1, 3), () => takeOnce(actor, locks))),
        ...admins.map((actor) => forceRelease(actor, locks)),
      ],
    };
  },
};
