import { fairChannel } from '../../lib/keys/redisson-keys.js';
import { FairQueueWorld, LEASE, NAME, NOTHING, POLLING, type Wait } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

const channelOf = ({ owner }: Wait): string => fairChannel(NAME, owner);

describe('The first waiter of a process in the queue of a fair lock', () => {
  let world: FairQueueWorld;

  beforeEach(() => {
    world = new FairQueueWorld();
  });

  /** The time until the owner makes an attempt, ms. Nothing else is answered meanwhile. */
  const msUntilAttempt = async (most: number): Promise<number> => {
    const start = world.clock.now();
    while (world.attempting.length === 0 && world.clock.now() - start < most) await world.clock.advance(1);
    return world.attempting.length > 0 ? world.clock.now() - start : Number.POSITIVE_INFINITY;
  };

  it('subscribes to its own channel, and attempts again after a message', async () => {
    const wait = await world.enterPlaced();
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(wait)]);
    expect(world.attempting).toEqual([]);
    await world.subscribed(wait.owner);
    expect(world.attempting).toEqual([wait.owner]);
    await world.place(wait.owner, { outcome: 'waiting' });
    expect(world.attempting).toEqual([]);
  });

  it.each([
    ['a poll, if it hears', { remaining: -1 }, {}, POLLING.subscribed, POLLING.subscribed],
    ['the end of the lease of the holder', { remaining: 300 }, {}, 301, 307],
    ['the end of the place of the next, but no sooner than 10 ms', { head: 'them:1', remaining: 0 }, {}, 10, 10],
    ['a last look 20 ms before its wait ends', { remaining: -1 }, { wait: 2000 }, 1980, 1980],
    ['a last look, also if the lease of the holder ends later', { remaining: 1990 }, { wait: 2000 }, 1980, 1980],
  ])('asks again because of %s', async (_, reply, terms, earliest, latest) => {
    await world.enterFirst(terms, reply);
    const ms = await msUntilAttempt(latest + 10);
    expect(ms).toBeGreaterThanOrEqual(earliest);
    expect(ms).toBeLessThanOrEqual(latest);
  });

  it('makes no last attempt if its wait is short', async () => {
    const wait = await world.enterFirst({ wait: 100 });
    expect(await msUntilAttempt(200)).toBe(Number.POSITIVE_INFINITY);
    expect(wait.outcome).toBe('LockTimeoutError');
  });

  it('makes no last attempt if the server could not answer, and is rejected with that when its wait ends', async () => {
    const { random } = Math;
    // This makes the pause 140 ms.
    Math.random = () => 0.9;
    try {
      const wait = await world.enterFirst({ wait: 110 });
      await world.publish(wait.owner);
      await world.fail(wait.owner, unavailable('refused'));
      expect(await msUntilAttempt(200)).toBe(Number.POSITIVE_INFINITY);
      expect(wait.outcome).toBe('LockUnavailableError');
    } finally {
      Math.random = random;
    }
  });

  it('asks again within 50 to 150 ms after an attempt without answer', async () => {
    const wait = await world.enterFirst();
    await world.publish(wait.owner);
    await world.fail(wait.owner, unavailable('unknown'));
    const ms = await msUntilAttempt(1000);
    expect(ms).toBeGreaterThanOrEqual(50);
    expect(ms).toBeLessThanOrEqual(150);
    expect(wait.outcome).toBe('waiting');
  });

  it.each([
    ['failed for a moment', () => world.pubSub.subscribes.take().fail(unavailable('not-sent'))],
    ['is interrupted', () => world.pubSub.subscribes.take().reply(false)],
  ])('D71: polls every second as long as its subscription %s, not while that is on its way', async (_, answer) => {
    const wait = await world.enterPlaced();
    expect(await msUntilAttempt(4000)).toBe(Number.POSITIVE_INFINITY);
    answer();
    await world.settle();
    for (const { owner } of world.locks.queues.unanswered) await world.place(owner, { outcome: 'waiting' });
    expect(await msUntilAttempt(2000)).toBe(POLLING.unsubscribed);
    await world.place(wait.owner, { outcome: 'waiting' });
    expect(await msUntilAttempt(2000)).toBe(POLLING.unsubscribed);
  });

  it('subscribes again with its next sleep after that failed, and not while that is on its way', async () => {
    const wait = await world.enterPlaced();
    await world.clock.advance(POLLING.subscribed);
    await world.place(wait.owner, { outcome: 'waiting' });
    expect(world.pubSub.subscribes.sent).toHaveLength(1);
    world.pubSub.subscribes.take().fail(unavailable('not-sent'));
    await world.settle();
    expect(world.pubSub.subscribes.sent).toHaveLength(1);
    await world.place(wait.owner, { outcome: 'waiting' });
    expect(world.pubSub.subscribes.sent).toHaveLength(2);
    await world.subscribed(wait.owner);
    expect(world.attempting).toEqual([wait.owner]);
  });

  it('is rejected together with all others if its subscription fails for another reason', async () => {
    const [first, second] = [await world.enterPlaced(), await world.enterPlaced()];
    const error = new Error('Broken');
    world.pubSub.subscribes.take().fail(error);
    await world.settle();
    expect([first.error, second.error]).toEqual([error, error]);
    expect(world.left).toEqual([first.owner, second.owner]);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('attempts once more after a message that comes during its attempt', async () => {
    const wait = await world.enterFirst();
    await world.publish(wait.owner);
    await world.publish(wait.owner);
    expect(world.attempting).toEqual([wait.owner]);
    await world.place(wait.owner, { outcome: 'waiting' });
    expect(world.attempting).toEqual([wait.owner]);
    await world.place(wait.owner, { outcome: 'waiting' });
    expect(world.attempting).toEqual([]);
  });

  it('is the only one that subscribes and attempts, until it is granted the lock', async () => {
    const [first, second] = [await world.enterFirst(), await world.enterPlaced()];
    await world.clock.advance(POLLING.subscribed);
    expect(world.attempting).toEqual([first.owner]);
    expect(world.pubSub.subscribes.sent).toEqual([channelOf(first)]);
    await world.grant(first.owner);
    expect(first.outcome).toBe(`granted ${first.owner}`);
    expect(world.pubSub.channels).toEqual([]);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(second)]);
    // The lock was just given to another waiter, so an attempt is of no use before the next waiter gets a message.
    expect(world.attempting).toEqual([]);
    expect(world.idle).toBe(0);
    await world.subscribed(second.owner);
    await world.grant(second.owner);
    expect(world.idle).toBe(1);
    expect(world.left).toEqual([]);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('attempts at the end of the lease of the one before it, without a message', async () => {
    world = new FairQueueWorld();
    const [first, second] = [await world.enterFirst({ lease: 200 }), await world.enterPlaced({ lease: LEASE })];
    await world.publish(first.owner);
    await world.grant(first.owner);
    const ms = await msUntilAttempt(500);
    expect(ms).toBeGreaterThanOrEqual(201);
    expect(ms).toBeLessThanOrEqual(207);
    expect(world.attempting).toEqual([second.owner]);
  });

  it('does not ask because of a message that came to the one before it', async () => {
    const abort = new AbortController();
    const [first, second] = [await world.enterFirst({ signal: abort.signal }), await world.enterPlaced()];
    world.pubSub.publish(channelOf(first));
    abort.abort();
    await world.settle();
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(second)]);
    expect(world.attempting).toEqual([]);
  });

  it('is followed at once by the next if it is aborted, and leaves on the server', async () => {
    const abort = new AbortController();
    const [first, second] = [await world.enterFirst({ signal: abort.signal }), await world.enterPlaced()];
    abort.abort();
    await world.settle();
    expect(first.outcome).toBe('LockAbortedError');
    expect(world.left).toEqual([first.owner]);
    expect(world.pubSub.channels).toEqual([]);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(second)]);
  });

  it('gives up a subscription that is acknowledged after it was aborted', async () => {
    const abort = new AbortController();
    const wait = await world.enterPlaced({ signal: abort.signal });
    abort.abort();
    await world.settle();
    await world.subscribed(wait.owner);
    expect(world.pubSub.channels).toEqual([]);
    expect(world.attempting).toEqual([]);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('goes behind the others if the server has queued it again', async () => {
    const [first, second] = [await world.enterFirst(), await world.enterPlaced()];
    await world.publish(first.owner);
    await world.place(first.owner, { outcome: 'queued' });
    expect(world.pubSub.channels).toEqual([]);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(second)]);
    await world.subscribed(second.owner);
    await world.grant(second.owner);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(first)]);
  });

  it('stays the first, and subscribed, if it is alone and the server has queued it again', async () => {
    const wait = await world.enterFirst();
    await world.publish(wait.owner);
    await world.place(wait.owner, { outcome: 'queued' });
    expect(world.pubSub.channels).toEqual([channelOf(wait)]);
    expect(world.attempting).toEqual([]);
    expect(await msUntilAttempt(POLLING.subscribed)).toBe(POLLING.subscribed);
  });
});
