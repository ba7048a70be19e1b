import { clientChannel, fairChannel } from '../../lib/keys/redisson-keys.js';
import { FairQueueWorld, FIRST_LEASE, LEASE, NAME, NOTHING, POLLING, type Wait } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

const GRANTS = clientChannel(NAME, 'us');
const OWN_CHANNEL_AFTER = 100;
/** A holder of this library, and no waiter of Redisson ahead. */
const OURS = { holder: '7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c11:1', isMixed: false };

const channelOf = ({ owner }: Wait): string => fairChannel(NAME, owner);

describe('The waiters of a process that are given a fair lock', () => {
  let world: FairQueueWorld;

  beforeEach(() => {
    world = new FairQueueWorld({ gives: true });
  });

  /** Starts a wait with a place, for which the process listens. */
  const enterListening = async (terms = {}): Promise<Wait> => {
    const wait = await world.enterPlaced(terms, OURS);
    await world.subscribedToGrants();
    await world.place(wait.owner, { outcome: 'waiting', ...OURS });
    return wait;
  };

  /** The timer for the channel of the first one is kept until it fires. */
  const expectNothing = async (): Promise<void> => {
    await world.clock.advance(OWN_CHANNEL_AFTER);
    expect(world.leftovers).toEqual(NOTHING);
  };

  it('listen together on one channel, and ask once when that is subscribed to', async () => {
    const wait = await world.enterPlaced({}, OURS);
    expect(world.pubSub.subscribes.unanswered).toEqual([GRANTS]);
    expect(world.attempting).toEqual([]);
    await world.subscribedToGrants();
    expect(world.attempting).toEqual([wait.owner]);
    await world.place(wait.owner, { outcome: 'waiting', ...OURS });
    await world.enterPlaced({}, OURS);
    expect(world.pubSub.subscribes.sent).toEqual([GRANTS]);
    expect(world.attempting).toEqual([]);
    expect(world.locks.queues.sent).toMatchObject([
      { firstLease: FIRST_LEASE },
      { firstLease: FIRST_LEASE },
      { firstLease: FIRST_LEASE },
    ]);
  });

  it('have it without a request, for a first lease that is to be extended', async () => {
    const [first, second] = [await enterListening(), await world.enterPlaced({}, OURS)];
    await world.give(first.owner);
    await world.give(second.owner);
    expect([first.got, second.got]).toMatchObject([
      { owner: first.owner, lease: FIRST_LEASE, wanted: LEASE },
      { owner: second.owner, lease: FIRST_LEASE, wanted: LEASE },
    ]);
    expect(world.attempting).toEqual([]);
    expect(world.left).toEqual([]);
    expect(world.idle).toBe(1);
    await expectNothing();
  });

  it.each([
    ['the holder is of Redisson', { holder: '7c0f3b52-6a0f-4a2b-9a53-0f0b6a3d1c11:1', isMixed: false }],
    ['waiters of Redisson are ahead', { ...OURS, isMixed: true }],
  ])('listen on the channel of the first one as well if %s', async (_, reply) => {
    const wait = await world.enterPlaced({}, reply);
    expect(world.pubSub.subscribes.unanswered).toEqual([GRANTS, channelOf(wait)]);
    await world.subscribedToGrants();
    await world.place(wait.owner, { outcome: 'waiting', ...reply });
    await world.subscribed(wait.owner);
    await world.place(wait.owner, { outcome: 'waiting', ...reply });
    await world.publish(wait.owner);
    expect(world.attempting).toEqual([wait.owner]);
    await world.grant(wait.owner);
    await expectNothing();
  });

  it('listen on the channel of the first one as well once it has been the first for a while', async () => {
    const wait = await enterListening();
    await world.clock.advance(OWN_CHANNEL_AFTER - 1);
    expect(world.pubSub.subscribes.unanswered).toEqual([]);
    await world.clock.advance(10);
    expect(world.pubSub.subscribes.unanswered).toEqual([channelOf(wait)]);
    expect(world.attempting).toEqual([]);
    await world.subscribed(wait.owner);
    expect(world.attempting).toEqual([wait.owner]);
  });

  it('poll every second as long as they do not hear', async () => {
    const wait = await world.enterPlaced({}, OURS);
    await world.clock.advance(POLLING.unsubscribed);
    expect(world.attempting).toEqual([wait.owner]);
  });

  it.each([
    ['a message that is no grant', (): Promise<void> => world.publishToClient('0')],
    ['a subscription that was interrupted', (): Promise<void> => world.publishToClient()],
    ['a grant most of which is over', ({ owner }: Wait): Promise<void> => world.give(owner, 1000, 501)],
  ])('ask after %s', async (_, happen) => {
    const wait = await enterListening();
    await happen(wait);
    expect(wait.outcome).toBe('waiting');
    expect(world.attempting).toEqual([wait.owner]);
    await world.grant(wait.owner);
    expect(wait.got).toMatchObject({ lease: LEASE });
  });

  it('ask for the one that a grant was for, although it was not the first', async () => {
    const [first, second] = [await enterListening(), await world.enterPlaced({}, OURS)];
    await world.give(second.owner, 1000, 501);
    expect(world.attempting).toEqual([second.owner]);
    await world.grant(second.owner);
    expect([first.outcome, second.outcome]).toEqual(['waiting', `granted ${second.owner}`]);
  });

  it.each(['queued', 'waiting'] as const)(
    'ask again if a grant comes during their request, which is answered "%s"',
    async (outcome) => {
      await enterListening();
      const wait = await world.enter();
      await world.give(wait.owner);
      expect(wait.outcome).toBe('waiting');
      await world.place(wait.owner, { outcome, ...OURS });
      expect(world.attempting).toEqual([wait.owner]);
      await world.grant(wait.owner);
      expect(wait.outcome).toBe(`granted ${wait.owner}`);
      expect(world.left).toEqual([]);
    },
  );

  it('ask again if they may have been told during their first request', async () => {
    const first = await enterListening();
    const second = await world.enter();
    await world.publishToClient('0');
    await world.place(second.owner, OURS);
    await world.grant(first.owner);
    expect(world.attempting).toEqual([second.owner]);
  });

  it('have it by the answer to a request that a grant came during', async () => {
    const wait = await enterListening();
    await world.publishToClient('0');
    await world.give(wait.owner);
    await world.grant(wait.owner);
    expect(wait.got).toMatchObject({ owner: wait.owner, lease: LEASE });
    expect(world.left).toEqual([]);
    await expectNothing();
  });

  it('take a grant after a request that was not answered and can take effect no more', async () => {
    await enterListening();
    const wait = await world.enter();
    await world.fail(wait.owner, unavailable('unknown'));
    await world.give(wait.owner);
    expect(wait.outcome).toBe(`granted ${wait.owner}`);
    await world.clock.advance(200);
    expect(world.attempting).toEqual([]);
    expect(world.left).toEqual([]);
  });

  it('leave the lock to those behind if they have left, and report that', async () => {
    const abort = new AbortController();
    const [first, second] = [await enterListening({ signal: abort.signal }), await world.enterPlaced({}, OURS)];
    abort.abort();
    await world.give(first.owner);
    expect(first.outcome).toBe('LockAbortedError');
    expect(second.outcome).toBe('waiting');
    expect(world.left).toEqual([first.owner]);
    expect(world.attempting).toEqual([]);
  });

  it('leave after their request if a grant came during it and their wait ended', async () => {
    const abort = new AbortController();
    const wait = await enterListening({ signal: abort.signal });
    await world.publishToClient('0');
    await world.give(wait.owner);
    abort.abort();
    expect(world.left).toEqual([]);
    await world.grant(wait.owner);
    expect(wait.outcome).toBe('LockAbortedError');
    expect(world.left).toEqual([wait.owner]);
    await expectNothing();
  });

  it('ignore grants for owners that have the lock, or had it', async () => {
    const [first, second] = [await enterListening(), await world.enterPlaced({}, OURS)];
    await world.give(first.owner);
    await world.give(first.owner);
    expect(second.outcome).toBe('waiting');
    expect(world.attempting).toEqual([]);
    expect(world.left).toEqual([]);
  });

  it('are all rejected if they may not listen', async () => {
    const wait = await world.enterPlaced({}, OURS);
    const error = new Error('Broken');
    world.pubSub.subscribes.take().fail(error);
    await world.settle();
    expect(wait.error).toBe(error);
    await expectNothing();
  });
});
