import { LockShutdownError } from '../../lib/errors.js';
import { FairQueueWorld, NOTHING, POLLING, type Wait } from './fair-queue-world.js';
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

const second: Prepare = async (world) => {
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
  ['is behind another in the queue', second, 'LockTimeoutError', true],
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

describe('The first attempt of a waiter for a fair lock', () => {
  it.each(ELAPSED)('that ends after the time of the waiter decides its wait: %s → %s', async (how, outcome, leaves) => {
    const world = new FairQueueWorld();
    const { wait } = await newcomer(world);
    await world.clock.advance(WAIT + 1000);
    expect(wait.outcome).toBe('waiting');
    await answer(world, wait.owner, how);
    expect(wait.outcome).toBe(outcome);
    expect(world.left).toEqual(leaves ? [wait.owner] : []);
    await world.clock.advance(100);
    expect(world.idle).toBe(1);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it.each(ELAPSED)(
    'that ends after the waiter was aborted releases a possible grant, and no sooner: %s',
    async (how, _, leaves) => {
      const world = new FairQueueWorld();
      const { wait, signalled } = await newcomer(world);
      signalled.abort();
      await world.settle();
      expect(wait.outcome).toBe('LockAbortedError');
      expect(world.idle).toBe(1);
      expect(world.left).toEqual([]);
      await answer(world, wait.owner, how);
      expect(world.left).toEqual(leaves || how === 'granted' ? [wait.owner] : []);
      expect(world.pubSub.subscribes.sent).toEqual([]);
      expect(world.leftovers).toEqual(NOTHING);
    },
  );

  it('D74: that ends after the time of the waiter does not decide if the waiter is aborted before it ends', async () => {
    const world = new FairQueueWorld();
    const { wait, signalled } = await newcomer(world);
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

describe('An attempt of the first waiter in the queue of a fair lock', () => {
  it.each(ELAPSED)('that ends after the time of the waiter decides its wait: %s → %s', async (how, outcome) => {
    const world = new FairQueueWorld();
    const { wait } = await attempting(world);
    await world.clock.advance(WAIT + 1000);
    expect(wait.outcome).toBe('waiting');
    await answer(world, wait.owner, how);
    expect(wait.outcome).toBe(outcome);
    // The waiter has had a place since an earlier attempt, whatever the outcome of this one.
    expect(world.left).toEqual(how === 'granted' ? [] : [wait.owner]);
    expect(world.idle).toBe(1);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it.each(ELAPSED)('that ends after the waiter was aborted gives up the place, and no sooner: %s', async (how) => {
    const world = new FairQueueWorld();
    const { wait, signalled } = await attempting(world);
    signalled.abort();
    await world.settle();
    expect(wait.outcome).toBe('LockAbortedError');
    expect(world.left).toEqual([]);
    await answer(world, wait.owner, how);
    expect(world.left).toEqual([wait.owner]);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it.each(ELAPSED)(
    'that is the last one does not make it wait longer, and gives up its place at the end: %s',
    async (how) => {
      const world = new FairQueueWorld();
      const { wait } = await lookingLast(world);
      await world.clock.advance(25);
      expect(wait.outcome).toBe('LockTimeoutError');
      expect(world.left).toEqual([]);
      await answer(world, wait.owner, how);
      expect(world.left).toEqual([wait.owner]);
      expect(world.leftovers).toEqual(NOTHING);
    },
  );

  it('that is the last one gets the lock, if it is answered in time', async () => {
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
