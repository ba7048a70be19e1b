import { runInContext, ScopeContext } from '../../lib/context/owner-context.js';
import { LockKeyTypeError, LockShutdownError } from '../../lib/errors.js';
import { fairChannel } from '../../lib/keys/redisson-keys.js';
import { FairQueueWorld, LEASE, NAME, NOTHING, POLLING, SLOT, type Wait } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

/** The time after which waits end, ms, unless they are aborted before. */
const WAIT = 10_000;
const LAST_LOOK = WAIT - 20;

interface State {
  readonly wait: Wait;
  readonly signalled: AbortController;
}
type Prepare = (world: FairQueueWorld) => Promise<State>;

const limited = () => {
  const signalled = new AbortController();
  return { signalled, terms: { wait: WAIT, signal: signalled.signal } };
};

const newcomer: Prepare = async (world) => {
  const { signalled, terms } = limited();
  return { signalled, wait: await world.enter(terms) };
};

const placed: Prepare = async (world) => {
  const { signalled, terms } = limited();
  return { signalled, wait: await world.enterFirst(terms) };
};

const attempting: Prepare = async (world) => {
  const state = await placed(world);
  await world.publish(state.wait.owner);
  return state;
};

const lookingLast: Prepare = async (world) => {
  const state = await placed(world);
  await world.clock.advance(POLLING.subscribed);
  await world.place(state.wait.owner, { outcome: 'waiting' });
  await world.clock.advance(LAST_LOOK - POLLING.subscribed);
  expect(world.attempting).toEqual([state.wait.owner]);
  return state;
};

const behindAnother: Prepare = async (world) => {
  const { signalled, terms } = limited();
  // The other waiters of this process do not end with this one.
  const first = await world.enterPlaced();
  await world.subscribed(first.owner);
  return { signalled, wait: await world.enterPlaced(terms) };
};

const behindNewcomer: Prepare = async (world) => {
  await world.enter();
  return newcomer(world);
};

const pausing =
  (outcome: 'refused' | 'unknown'): Prepare =>
  async (world) => {
    // The pause outlasts the wait, because the attempt is answered just before its end.
    const state = await newcomer(world);
    await world.clock.advance(WAIT - 1);
    await world.fail(state.wait.owner, unavailable(outcome));
    return state;
  };

/** Lets the time pass until the wait has ended, and answers the waiter's attempts until then. */
const elapse = async (world: FairQueueWorld, { wait: { owner } }: State): Promise<void> => {
  while (world.clock.now() < WAIT + 10) {
    await world.clock.advance(1);
    if (world.attempting.includes(owner)) await world.place(owner, { outcome: 'waiting' });
  }
};

/**
 * [the state of the waiter, the function that leads to it, the error at the end of its time, whether it has a place to
 * give up]
 */
const AT_REST: readonly [string, Prepare, string, boolean][] = [
  ['is the first in the queue and sleeps', placed, 'LockTimeoutError', true],
  ['is behind another in the queue', behindAnother, 'LockTimeoutError', true],
  ['has not asked yet', behindNewcomer, 'LockTimeoutError', false],
  ['pauses after an attempt that was refused', pausing('refused'), 'LockUnavailableError', false],
  ['pauses after an attempt of unknown outcome', pausing('unknown'), 'LockUnavailableError', true],
];

describe('A waiter for a fair lock without an attempt in flight', () => {
  it.each(AT_REST)('that %s is rejected as soon as its time is over', async (_, prepare, error, leaves) => {
    const world = new FairQueueWorld();
    const state = await prepare(world);
    await elapse(world, state);
    expect(state.wait.outcome).toBe(error);
    expect(world.left).toEqual(leaves ? [state.wait.owner] : []);
  });

  it.each(AT_REST)('that %s is rejected as soon as it is aborted', async (_, prepare, _error, leaves) => {
    const world = new FairQueueWorld();
    const { wait, signalled } = await prepare(world);
    signalled.abort();
    await world.settle();
    expect(wait.outcome).toBe('LockAbortedError');
    expect(world.left).toEqual(leaves ? [wait.owner] : []);
  });
});

type Answer = 'placed' | 'granted' | 'refused' | 'unknown';

const answer = async (world: FairQueueWorld, owner: string, how: Answer): Promise<void> => {
  if (how === 'placed') return world.place(owner, { outcome: 'waiting' });
  if (how === 'granted') return world.grant(owner);
  return world.fail(owner, unavailable(how));
};

/** [the answer to an attempt, the outcome of a wait whose time is over, whether there is a place to give up then] */
const ELAPSED: readonly [Answer, string, boolean][] = [
  ['placed', 'LockTimeoutError', true],
  ['granted', 'granted us:1', false],
  ['refused', 'LockUnavailableError', false],
  ['unknown', 'LockUnavailableError', true],
];

describe.each([
  ['the first attempt of a newcomer', newcomer, false],
  ['an attempt of the first one in the queue', attempting, true],
] as const)('A waiter for a fair lock during %s', (_title, prepare, hasPlace) => {
  it.each(ELAPSED)('whose time is over gets its outcome from the answer: %s → %s', async (how, outcome, leaves) => {
    const world = new FairQueueWorld();
    const { wait } = await prepare(world);
    await world.clock.advance(WAIT + 1000);
    expect(wait.outcome).toBe('waiting');
    await answer(world, wait.owner, how);
    expect(wait.outcome).toBe(outcome);
    expect(world.left).toEqual(how !== 'granted' && (leaves || hasPlace) ? [wait.owner] : []);
    await world.clock.advance(100);
    expect(world.idle).toBe(1);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it.each(ELAPSED)('that is aborted leaves after the answer, and no sooner: %s', async (how, _, leaves) => {
    const world = new FairQueueWorld();
    const { wait, signalled } = await prepare(world);
    signalled.abort();
    await world.settle();
    expect(wait.outcome).toBe('LockAbortedError');
    expect(world.idle).toBe(1);
    expect(world.left).toEqual([]);
    await answer(world, wait.owner, how);
    expect(world.left).toEqual(leaves || hasPlace || how === 'granted' ? [wait.owner] : []);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('D74: that is aborted after its time does not wait for the answer', async () => {
    const world = new FairQueueWorld();
    const { wait, signalled } = await prepare(world);
    await world.clock.advance(WAIT + 10);
    expect(wait.outcome).toBe('waiting');
    signalled.abort();
    await world.settle();
    expect(wait.outcome).toBe('LockAbortedError');
    expect(world.left).toEqual([]);
    await world.grant(wait.owner);
    expect(world.left).toEqual([wait.owner]);
    expect(world.leftovers).toEqual(NOTHING);
  });
});

describe('The waiters of a process for a fair lock', () => {
  it.each([
    ['a key of another type', new LockKeyTypeError('Not a lock')],
    ['a refusal for good', unavailable('refused', true)],
    ['a broken reply', new TypeError('No reply')],
  ])('are all rejected by %s, and leave what they have, or get later', async (_, error) => {
    const world = new FairQueueWorld();
    const first = await world.enterFirst();
    await world.publish(first.owner);
    const [asking, behind] = [await world.enter(), await world.enter()];
    await world.fail(asking.owner, error);
    expect([first, asking, behind].map((wait) => wait.error)).toEqual([error, error, error]);
    expect(world.left).toEqual([]);
    await world.grant(first.owner);
    expect(world.left).toEqual([first.owner]);
    expect(world.idle).toBe(1);
    expect(world.leftovers).toEqual(NOTHING);
  });
});

describe('The last attempt of the first waiter in the queue of a fair lock', () => {
  it.each(ELAPSED)('does not make it wait longer, and gives up its place at the end: %s', async (how) => {
    const world = new FairQueueWorld();
    const { wait } = await lookingLast(world);
    await world.clock.advance(25);
    expect(wait.outcome).toBe('LockTimeoutError');
    expect(world.left).toEqual([]);
    await answer(world, wait.owner, how);
    expect(world.left).toEqual([wait.owner]);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('gets the lock, if it is answered in time', async () => {
    const world = new FairQueueWorld();
    const { wait } = await lookingLast(world);
    await world.grant(wait.owner);
    expect(wait.outcome).toBe('granted us:1');
    await world.clock.advance(25);
    expect(world.left).toEqual([]);
    expect(world.leftovers).toEqual(NOTHING);
  });
});

describe('The error of a wait for a fair lock', () => {
  it.each([
    ['the holder', { holder: 'them:1', head: 'them:2' }, { holder: 'them:1', remaining: 70_000 }],
    ['the next, if the lock is free', { holder: 'them:2', head: 'them:2' }, { next: 'them:2', remaining: 70_000 }],
  ])('names %s as of the last answer', async (_, reply, details) => {
    const world = new FairQueueWorld();
    const wait = await world.enterPlaced({ wait: 500 }, { ...reply, remaining: 80_000 });
    await world.subscribed(wait.owner);
    await world.place(wait.owner, { ...reply, outcome: 'waiting', remaining: 70_000 });
    await world.clock.advance(480);
    await world.place(wait.owner, { ...reply, outcome: 'waiting', remaining: 70_000 });
    await world.clock.advance(25);
    expect(wait.error).toMatchObject({ code: 'LOCK_TIMEOUT', details });
  });

  it('is that of the shutdown if that ends it', async () => {
    const world = new FairQueueWorld();
    const { wait, signalled } = await placed(world);
    const error = new LockShutdownError('Shutting down');
    signalled.abort(error);
    await world.settle();
    expect(wait.error).toBe(error);
  });
});

describe('The first waiter of a process in the queue of a fair lock', () => {
  /** The time until the owner makes an attempt, ms. Nothing else is answered meanwhile. */
  const msUntilAttempt = async (world: FairQueueWorld, most: number): Promise<number> => {
    const start = world.clock.now();
    while (world.attempting.length === 0 && world.clock.now() - start < most) await world.clock.advance(1);
    return world.attempting.length > 0 ? world.clock.now() - start : Number.POSITIVE_INFINITY;
  };

  it.each([
    ['a poll, if it hears', { remaining: -1 }, {}, POLLING.subscribed, POLLING.subscribed],
    ['the end of the lease of the holder', { remaining: 300 }, {}, 301, 307],
    ['the end of the place of the next, but no sooner than 10 ms', { head: 'them:1', remaining: 0 }, {}, 10, 10],
    ['a last look 20 ms before its wait ends', { remaining: -1 }, { wait: 2000 }, 1980, 1980],
    ['a last look, also if the lease of the holder ends later', { remaining: 1990 }, { wait: 2000 }, 1980, 1980],
  ])('asks again because of %s', async (_, reply, terms, earliest, latest) => {
    const world = new FairQueueWorld();
    await world.enterFirst(terms, reply);
    const ms = await msUntilAttempt(world, latest + 10);
    expect(ms).toBeGreaterThanOrEqual(earliest);
    expect(ms).toBeLessThanOrEqual(latest);
  });

  it('asks again within 50 to 150 ms after an attempt without answer', async () => {
    const world = new FairQueueWorld();
    const wait = await world.enterFirst();
    await world.publish(wait.owner);
    await world.fail(wait.owner, unavailable('unknown'));
    const ms = await msUntilAttempt(world, 1000);
    expect(ms).toBeGreaterThanOrEqual(50);
    expect(ms).toBeLessThanOrEqual(150);
    expect(wait.outcome).toBe('waiting');
  });

  it('follows an answer that names another waiter of the process as the next, and the others keep their order', async () => {
    const world = new FairQueueWorld();
    const [first, second] = [await world.enterFirst(), await world.enterPlaced()];
    const third = await world.enter();
    await world.place(third.owner, { head: second.owner });
    for (const next of [second, first, third]) {
      expect(world.pubSub.subscribes.unanswered).toEqual([fairChannel(NAME, next.owner)]);
      await world.subscribed(next.owner);
      await world.grant(next.owner);
    }
    expect(world.idle).toBe(1);
  });

  it.each([false, true])(
    'asks again for its place if the server has lost it (an attempt is in flight: %s)',
    async (asks) => {
      const world = new FairQueueWorld();
      const [first, second] = [await world.enterFirst(), await world.enterPlaced()];
      while (world.locks.keeps.unanswered.length === 0) {
        await world.clock.advance(100);
        if (world.attempting.includes(first.owner)) await world.place(first.owner, { outcome: 'waiting' });
      }
      if (asks) await world.publish(first.owner);
      world.locks.keeps.take().reply([false, true]);
      await world.settle();
      expect(world.attempting).toEqual([first.owner]);
      await world.place(first.owner);
      expect(world.attempting).toEqual([]);
      // It is behind those that kept their places.
      expect(world.pubSub.subscribes.unanswered).toEqual([fairChannel(NAME, second.owner)]);
    },
  );
});

describe('All that a waiter for a fair lock sends', () => {
  it('is sent outside the context of its caller', async () => {
    const world = new FairQueueWorld();
    const abort = new AbortController();
    await runInContext(new ScopeContext(), async () => {
      const { owner } = await world.enterFirst({ signal: abort.signal });
      await world.clock.advance(SLOT / 3);
      await world.place(owner, { outcome: 'waiting' });
      abort.abort();
      await world.settle();
    });
    const { locks, pubSub } = world;
    for (const { regions } of [locks.queues, locks.keeps, locks.leaves, pubSub.subscribes])
      expect([...regions]).toEqual([undefined]);
  });
});

describe('A waiter for a fair lock that is granted too late to be useful', () => {
  it.each([false, true])('D1: releases the lock and asks again under a new id (had a place: %s)', async (hasPlace) => {
    const world = new FairQueueWorld({ maxQueue: 1 });
    const wait = hasPlace ? await world.enterFirst() : await world.enter();
    if (hasPlace) await world.publish('us:1');
    await world.clock.advance(LEASE / 2 + 1);
    await world.grant('us:1');
    expect(wait.outcome).toBe('waiting');
    expect(world.left).toEqual(['us:1']);
    expect((await world.enter()).outcome).toBe('LockQueueFullError');
    await world.clock.advance(150);
    await world.grant('us:2');
    expect(wait.outcome).toBe('granted us:2');
    expect(world.left).toEqual(['us:1']);
    expect(world.idle).toBe(1);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('D1: is rejected with the reason, if its wait has ended meanwhile', async () => {
    const world = new FairQueueWorld();
    const wait = await world.enter({ wait: 1000 });
    await world.clock.advance(LEASE / 2 + 1);
    expect(wait.outcome).toBe('waiting');
    await world.grant('us:1');
    expect(wait.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', outcome: 'refused' });
    expect(world.left).toEqual(['us:1']);
    expect(world.leftovers).toEqual(NOTHING);
  });
});
