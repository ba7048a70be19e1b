import { LockKeyTypeError } from '../../lib/errors.js';
import { fairChannel } from '../../lib/keys/redisson-keys.js';
import { FairQueueWorld, LEASE, NAME, NOTHING, SLOT, type Wait } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

const channelOf = ({ owner }: Wait): string => fairChannel(NAME, owner);

describe('The order of the waiters of a process in the queue of a fair lock', () => {
  let world: FairQueueWorld;

  beforeEach(() => {
    world = new FairQueueWorld();
  });

  it('follows an answer that names another waiter of the process as the next', async () => {
    const [first, second] = [await world.enterFirst(), await world.enterPlaced()];
    const third = await world.enter();
    await world.place(third.owner, { head: second.owner });
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(second)]);
    await world.subscribed(second.owner);
    await world.grant(second.owner);
    // The waiters behind keep their order.
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(first)]);
    await world.subscribed(first.owner);
    await world.grant(first.owner);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(third)]);
  });

  it('follows an answer that names the waiter that asked as the next', async () => {
    const first = await world.enterFirst();
    const second = await world.enterPlaced({}, { head: 'us:2', holder: 'us:2', remaining: 5000 });
    expect(second.owner).toBe('us:2');
    expect(world.pubSub.channels).toEqual([]);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(second)]);
    expect(first.outcome).toBe('waiting');
  });

  it('follows an answer to the first that names another as the next', async () => {
    const [first, second] = [await world.enterFirst(), await world.enterPlaced()];
    await world.publish(first.owner);
    await world.place(first.owner, { outcome: 'waiting', head: second.owner });
    expect(world.pubSub.channels).toEqual([]);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(second)]);
  });

  it.each([
    ['a waiter of another process', async () => 'them:9'],
    ['the first', async () => 'us:1'],
    ['a waiter whose attempt has no answer yet', async () => (await world.enter()).owner],
  ])('stays as it is after an answer that names %s as the next', async (_, headOf) => {
    const [first] = [await world.enterFirst(), await world.enterPlaced()];
    await world.publish(first.owner);
    const head = await headOf();
    await world.place(first.owner, { outcome: 'waiting', head });
    expect(world.pubSub.channels).toEqual([channelOf(first)]);
    expect(world.pubSub.subscribes.unanswered).toEqual([]);
  });

  it('lets a late reply to a former first displace no waiter', async () => {
    const abort = new AbortController();
    const [first, second] = [await world.enterFirst({ signal: abort.signal }), await world.enterPlaced()];
    const third = await world.enterPlaced();
    await world.publish(first.owner);
    abort.abort();
    await world.settle();
    await world.place(first.owner, { outcome: 'waiting', head: third.owner });
    expect(world.left).toEqual([first.owner]);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(second)]);
  });
});

describe('The places of the waiters of a process in the queue of a fair lock', () => {
  let world: FairQueueWorld;

  beforeEach(() => {
    world = new FairQueueWorld();
  });

  /** The first waiter makes attempts in vain until the places have to be kept, and sleeps. */
  const untilKept = async (first: Wait): Promise<void> => {
    while (world.locks.keeps.unanswered.length === 0) {
      await world.clock.advance(100);
      if (world.attempting.includes(first.owner)) await world.place(first.owner, { outcome: 'waiting' });
    }
  };

  const kept = async (reply: readonly boolean[]): Promise<void> => {
    world.locks.keeps.take().reply(reply);
    await world.settle();
  };

  it('are all kept every third of a slot, also of those that do not ask themselves', async () => {
    const [first, second] = [await world.enterFirst(), await world.enterPlaced()];
    await untilKept(first);
    expect(world.clock.now()).toBe(SLOT / 3);
    expect(world.locks.keeps.sent).toEqual([{ name: NAME, owners: [first.owner, second.owner], slot: SLOT }]);
    await kept([true, true]);
    await untilKept(first);
    expect(world.clock.now()).toBe((2 * SLOT) / 3);
    expect(world.attempted.filter((owner) => owner === second.owner)).toHaveLength(1);
  });

  it('are no longer kept without waiters', async () => {
    const abort = new AbortController();
    await world.enterFirst({ signal: abort.signal });
    abort.abort();
    await world.clock.advance(SLOT);
    expect(world.locks.keeps.sent).toEqual([]);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('are kept again when a waiter comes after all had left the same queue', async () => {
    const [first, second] = [await world.enterFirst(), await world.enter()];
    await world.publish(first.owner);
    await world.grant(first.owner);
    expect(world.clock.pending).toBe(0);
    await world.place(second.owner);
    await untilKept(second);
    expect(world.locks.keeps.sent).toMatchObject([{ owners: [second.owner] }]);
  });

  it('are requested again if the server has lost them, the first included', async () => {
    const [first, second, third] = [await world.enterFirst(), await world.enterPlaced(), await world.enterPlaced()];
    await untilKept(first);
    await kept([false, true, false]);
    expect(world.pubSub.channels).toEqual([]);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(second)]);
    expect(world.attempting).toEqual([first.owner]);
    await world.place(first.owner);
    expect(world.attempting).toEqual([third.owner]);
    await world.place(third.owner);
    await world.subscribed(second.owner);
    await world.grant(second.owner);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(first)]);
  });

  it('are requested again by the attempt in flight, if any', async () => {
    const first = await world.enterFirst();
    await untilKept(first);
    await world.publish(first.owner);
    await kept([false]);
    expect(world.attempting).toEqual([first.owner]);
    await world.place(first.owner, { outcome: 'queued' });
    expect(world.attempting).toEqual([]);
    expect(world.pubSub.channels).toEqual([channelOf(first)]);
  });

  it('are not requested again by waiters that left, or were granted the lock, before the reply', async () => {
    const abort = new AbortController();
    const [first, second] = [await world.enterFirst(), await world.enterPlaced({ signal: abort.signal })];
    await untilKept(first);
    await world.publish(first.owner);
    await world.grant(first.owner);
    abort.abort();
    await kept([false, false]);
    expect([first.outcome, second.outcome]).toEqual([`granted ${first.owner}`, 'LockAbortedError']);
    expect(world.idle).toBe(1);
    expect(world.leftovers).toEqual(NOTHING);
  });

  it('are not requested again by a waiter that continues under another id', async () => {
    const [first, second] = [await world.enterFirst(), await world.enterPlaced()];
    await untilKept(first);
    await world.publish(first.owner);
    await world.clock.advance(LEASE / 2 + 1);
    await world.grant(first.owner);
    expect(world.attempting).toEqual(['us:3']);
    await world.place('us:3');
    await kept([false, true]);
    expect(world.attempting).toEqual([]);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(second)]);
  });

  it('are kept again soon if the server could not answer, without a rejection', async () => {
    const first = await world.enterFirst();
    await untilKept(first);
    const failedAt = world.clock.now();
    world.locks.keeps.take().fail(unavailable('unknown'));
    await untilKept(first);
    expect(world.clock.now() - failedAt).toBe(SLOT / 10);
    expect(first.outcome).toBe('waiting');
  });

  it('are given up, and all waiters are rejected, after a permanent failure', async () => {
    const [first, second] = [await world.enterFirst(), await world.enterPlaced()];
    const third = await world.enter();
    await untilKept(first);
    const error = new LockKeyTypeError('Not a lock');
    world.locks.keeps.take().fail(error);
    await world.settle();
    expect([first.error, second.error, third.error]).toEqual([error, error, error]);
    expect(world.left).toEqual([first.owner, second.owner]);
    world.locks.leaves.take().reply();
    await world.grant(third.owner);
    expect(world.left).toEqual([first.owner, second.owner, third.owner]);
    expect(world.leftovers).toEqual(NOTHING);
  });
});

describe('Waiters for a fair lock that one signal ends', () => {
  it('leave with one request', async () => {
    const world = new FairQueueWorld();
    const abort = new AbortController();
    const { signal } = abort;
    const waits = [await world.enterFirst({ signal }), await world.enterPlaced({ signal, lease: 40_000 })];
    abort.abort();
    await world.settle();
    const owners = waits.map(({ owner }) => owner);
    expect(world.locks.leaves.sent).toEqual([{ name: 'n', owners, lease: 40_000, slot: SLOT }]);
    expect(world.idle).toBe(1);
    expect(world.leftovers).toEqual(NOTHING);
  });
});
