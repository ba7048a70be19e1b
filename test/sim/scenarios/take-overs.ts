import type { Hold } from '../../../lib/holds/hold.js';
import type { Caller } from '../world/caller.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

const NAME = 'a';

/**
 * An owner whose lock is wanted by a newer caller is told so once a message could have come. If the lock was taken over, it
 * stops believing in it.
 * @param within Milliseconds.
 */
const watchReplaced = (world: SimulatedWorld, holds: ReadonlyMap<string, Hold>, within: number): void => {
  const { server, simulation, sections } = world;
  server.onExecuted(({ script, args, reply, heldBefore }) => {
    if (!script.endsWith('/replace')) return;
    const isTaken = reply.length === 2 || reply[0] === 'acquired';
    for (const owner of heldBefore) {
      if (owner === args['owner'] || (!isTaken && reply[0] !== 'busy')) continue;
      if (isTaken) sections.forced(owner);
      simulation.at(simulation.now + within, () => {
        const hold = holds.get(owner);
        if (!hold || (hold.signal.aborted && !(isTaken && hold.isHeld))) return;
        simulation.violate('told of the end', `${owner} knows nothing of that after ${within} ms`);
      });
    }
  });
};

const takeOver = async (caller: Caller, fenced: boolean, holds: Map<string, Hold>): Promise<void> => {
  const { world, process } = caller;
  const { rng } = world;
  const wait = rng.pick([0, 0, 20, 400]);
  const work = async (hold: Hold): Promise<void> => {
    holds.set(hold.owner, hold);
    const leave = caller.enters(hold);
    await caller.work(rng.pick([0, 1, 30, 300]) * rng.between(0.2, 1.2), rng.chance(0.8) ? hold.signal : undefined);
    leave();
    holds.delete(hold.owner);
  };
  await process.locks
    .withLock(NAME, { onConflict: 'replace', wait, fenced }, work)
    .catch((error: unknown) => caller.tolerate(error));
  await caller.work(rng.pick([0, 0, 5, 100]) * rng.next());
};

const takeInTurn = async (caller: Caller): Promise<void> => {
  const { world, process } = caller;
  await caller.locked(process.locks.getLock(NAME), { wait: 20_000 }, (hold) =>
    caller.work(world.rng.pick([0, 1, 40]), hold.signal),
  );
};

/** Processes that take a lock over from one another, beside others that wait for it. */
export const takeOvers: Scenario = {
  name: 'take-overs',
  mayKill: false,
  isQuiet: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(2, 3) }),
  start: (world) => {
    const { rng, profile } = world;
    const holds = new Map<string, Hold>();
    // The message, or the reply to the acquisition that it has overtaken.
    watchReplaced(world, holds, 4 * profile.delays.usual[1] + 1);
    const fenced = rng.chance(0.4);
    const newer = Array.from({ length: rng.whole(2, 5) }, () => world.caller());
    const waiting = Array.from({ length: fenced ? 0 : rng.whole(0, 2) }, () => world.caller());
    return {
      callers: [
        ...newer.map((caller) => repeat(rng.whole(1, 4), () => takeOver(caller, fenced, holds))),
        ...waiting.map((caller) => repeat(rng.whole(1, 3), () => takeInTurn(caller))),
      ],
    };
  },
};
