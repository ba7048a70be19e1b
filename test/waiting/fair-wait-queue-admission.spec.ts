import { LockKeyTypeError } from '../../lib/errors.js';
import { currentContext, runInContext, ScopeContext } from '../../lib/context/owner-context.js';
import { FairQueueWorld, LEASE, NOTHING, SLOT } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

/** The pause between two attempts of a waiter without a place, ms, in the middle of its range. */
const PAUSE = 100;

beforeEach(() => {
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('A waiter that comes to the queue of a fair lock', () => {
  let world: FairQueueWorld;

  beforeEach(() => {
    world = new FairQueueWorld();
  });

  it('asks the server for a place at once, with its lease and the slot', async () => {
    const { owner } = await world.enter({ lease: 700 });
    expect(world.locks.queues.sent).toMatchObject([{ name: 'n', owner, lease: 700, slot: SLOT }]);
  });

  it('gets the lock if it is free, and leaves nothing behind', async () => {
    const wait = await world.enter();
    await world.grant(wait.owner);
    expect(wait.outcome).toBe('granted us:1');
    expect(world.idle).toBe(1);
    expect(world.left).toEqual([]);
    expect(world.pubSub.subscribes.sent).toEqual([]);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('attempts only after the reply to the waiter before it', async () => {
    for (let count = 0; count < 3; count++) await world.enter();
    expect(world.attempted).toEqual(['us:1']);
    await world.place('us:1');
    expect(world.attempted).toEqual(['us:1', 'us:2']);
    await world.grant('us:2');
    expect(world.attempted).toEqual(['us:1', 'us:2', 'us:3']);
  });

  it('attempts at once if all waiters before it have a place', async () => {
    await world.enterPlaced();
    const { owner } = await world.enter();
    expect(world.attempting).toEqual([owner]);
  });

  it('asks although the attempt of the first in the queue has no answer yet', async () => {
    const first = await world.enterFirst();
    await world.publish(first.owner);
    const second = await world.enter();
    expect(world.attempting).toEqual([first.owner, second.owner]);
  });

  it.each(['not-sent', 'refused', 'unknown'] as const)(
    'asks again as the same owner 100 ms after an attempt without answer: %s',
    async (outcome) => {
      const [first, second] = [await world.enter(), await world.enter()];
      await world.fail(first.owner, unavailable(outcome));
      await world.clock.advance(PAUSE - 1);
      expect(world.attempting).toEqual([]);
      await world.clock.advance(1);
      expect(world.attempting).toEqual([first.owner]);
      // The waiter may have had its place since the first attempt, which makes no difference.
      await world.place(first.owner, { outcome: 'waiting' });
      expect(world.attempting).toEqual([second.owner]);
    },
  );

  it('does not ask any more if it is aborted in the pause after an attempt without answer', async () => {
    const abort = new AbortController();
    const [first, second] = [await world.enter({ signal: abort.signal }), await world.enter()];
    await world.fail(first.owner, unavailable('refused'));
    abort.abort();
    await world.clock.advance(PAUSE);
    expect(first.outcome).toBe('LockAbortedError');
    expect(world.attempted).toEqual([first.owner, second.owner]);
  });

  it('never asks if it is aborted before its turn to ask', async () => {
    const abort = new AbortController();
    const first = await world.enter();
    const second = await world.enter({ signal: abort.signal });
    const third = await world.enter();
    abort.abort();
    await world.place(first.owner);
    expect(second.outcome).toBe('LockAbortedError');
    expect(world.attempted).toEqual([first.owner, third.owner]);
    expect(world.left).toEqual([]);
  });

  it.each([
    ['a key of another type', new LockKeyTypeError('Not a lock')],
    ['a refusal for good', unavailable('refused', true)],
    ['a broken reply', new TypeError('No reply')],
  ])('is rejected together with all others, whether they have places or not, by %s', async (_, error) => {
    const placed = await world.enterFirst();
    const [asking, behind] = [await world.enter(), await world.enter()];
    await world.fail(asking.owner, error);
    expect([placed, asking, behind].map((wait) => wait.error)).toEqual([error, error, error]);
    // The other waiters have no place: one attempt has failed, and one was never made.
    expect(world.left).toEqual([placed.owner]);
    expect(world.attempting).toEqual([]);
    expect(world.idle).toBe(1);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('releases a grant that comes after it was rejected because of another waiter', async () => {
    const [first, second] = [await world.enterFirst(), await world.enter()];
    await world.publish(first.owner);
    await world.fail(second.owner, new LockKeyTypeError('Not a lock'));
    expect(first.outcome).toBe('LockKeyTypeError');
    expect(world.left).toEqual([]);
    await world.grant(first.owner);
    expect(world.left).toEqual([first.owner]);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('is refused by a full queue, and sends nothing', async () => {
    world = new FairQueueWorld({ maxQueue: 2 });
    const abort = new AbortController();
    await world.enterPlaced({ signal: abort.signal });
    await world.enterPlaced();
    const third = await world.enter();
    expect(third.error).toMatchObject({ code: 'LOCK_QUEUE_FULL', details: { waiters: 2 } });
    expect(world.attempting).toEqual([]);
    abort.abort();
    const fourth = await world.enter();
    expect(fourth.outcome).toBe('waiting');
    expect(world.attempting).toEqual([fourth.owner]);
  });

  it('sends everything outside the context of its caller', async () => {
    const abort = new AbortController();
    await runInContext(new ScopeContext(), async () => {
      expect(currentContext()).toBeDefined();
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
  it('D1: releases the lock and attempts again under a new id after 100 ms, if it had no place', async () => {
    const world = new FairQueueWorld();
    const wait = await world.enter();
    await world.clock.advance(LEASE / 2 + 1);
    await world.grant('us:1');
    expect(wait.outcome).toBe('waiting');
    expect(world.left).toEqual(['us:1']);
    await world.clock.advance(PAUSE - 1);
    expect(world.attempting).toEqual([]);
    await world.clock.advance(1);
    await world.grant('us:2');
    expect(wait.outcome).toBe('granted us:2');
    expect(world.left).toEqual(['us:1']);
    expect(world.idle).toBe(1);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('D1: asks again under a new id at once, if it was the first in the queue', async () => {
    const world = new FairQueueWorld();
    const wait = await world.enterFirst();
    await world.publish('us:1');
    await world.clock.advance(LEASE / 2 + 1);
    await world.grant('us:1');
    expect(world.left).toEqual(['us:1']);
    expect(world.attempting).toEqual(['us:2']);
    expect(world.pubSub.channels).toEqual([]);
    await world.grant('us:2');
    expect(wait.outcome).toBe('granted us:2');
    expect(world.idle).toBe(1);
  });

  it('D1: keeps a grant that took exactly half of its lease', async () => {
    const world = new FairQueueWorld();
    const wait = await world.enter();
    await world.clock.advance(LEASE / 2);
    await world.grant('us:1');
    expect(wait.outcome).toBe('granted us:1');
  });

  it('D1: counts for maxQueue under its new id', async () => {
    const world = new FairQueueWorld({ maxQueue: 1 });
    const abort = new AbortController();
    await world.enter({ signal: abort.signal });
    await world.clock.advance(LEASE / 2 + 1);
    await world.grant('us:1');
    expect((await world.enter()).outcome).toBe('LockQueueFullError');
    abort.abort();
    expect((await world.enter()).outcome).toBe('waiting');
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
