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

  it('have it without a request if they are given the whole lease', async () => {
    const [first, second] = [await enterListening(), await world.enterPlaced({}, OURS)];
    await world.give(first.owner, LEASE);
    // Stored in units of 8 ms, it may be a little longer.
    await world.give(second.owner, LEASE + 7);
    expect([first.got, second.got]).toMatchObject([
      { owner: first.owner, lease: LEASE },
      { owner: second.owner, lease: LEASE },
    ]);
    expect(world.attempting).toEqual([]);
    expect(world.left).toEqual([]);
    expect(world.idle).toBe(1);
    await expectNothing();
  });

  it('D39: have it once the server has set the whole lease, if they are given a shorter one', async () => {
    const wait = await enterListening();
    await world.give(wait.owner);
    expect(wait.outcome).toBe('waiting');
    expect(world.locks.holds.sent).toMatchObject([{ owner: wait.owner, count: 1, lease: LEASE }]);
    await world.held(wait.owner);
    expect(wait.got).toMatchObject({ owner: wait.owner, lease: LEASE });
    expect(world.attempting).toEqual([]);
    await expectNothing();
  });

  it('D39: ask for a place if the server no longer had the lock when the lease was to be set', async () => {
    const wait = await enterListening();
    await world.give(wait.owner);
    await world.held(wait.owner, 'lost');
    expect(world.attempting).toEqual([wait.owner]);
    await world.place(wait.owner, { outcome: 'queued', ...OURS });
    expect(wait.outcome).toBe('waiting');
  });

  it('D39: ask whether they have it if it is unknown whether the lease was set', async () => {
    const wait = await enterListening();
    await world.give(wait.owner);
    world.locks.holds.take().fail(unavailable('unknown'));
    await world.clock.advance(200);
    expect(world.attempting).toEqual([wait.owner]);
    await world.grant(wait.owner);
    expect(wait.got).toMatchObject({ lease: LEASE });
  });

  it('D39: leave after the lease was set if their wait ended meanwhile', async () => {
    const abort = new AbortController();
    const wait = await enterListening({ signal: abort.signal });
    await world.give(wait.owner);
    abort.abort();
    expect(world.left).toEqual([]);
    await world.held(wait.owner);
    expect(wait.outcome).toBe('LockAbortedError');
    expect(world.left).toEqual([wait.owner]);
  });

  it('D76: ask for the one that the server names, though a message came while another of them was asking', async () => {
    const first = await enterListening();
    const second = await world.enter();
    // It may be for either of them.
    await world.publishToClient();
    await world.place(second.owner, OURS);
    await world.place(first.owner, { outcome: 'waiting', ...OURS });
    expect(world.attempting).toEqual([second.owner]);
    await world.publishToClient();
    await world.place(second.owner, { ...OURS, outcome: 'waiting', holder: first.owner, head: first.owner });
    expect(world.attempting).toEqual([first.owner]);
    await world.grant(first.owner);
    expect([first.outcome, second.outcome]).toEqual([`granted ${first.owner}`, 'waiting']);
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

  it('D71: poll every second as long as they do not hear, not while the subscription is on its way', async () => {
    const wait = await world.enterPlaced({}, OURS);
    await world.clock.advance(POLLING.unsubscribed);
    expect(world.attempting).toEqual([]);
    await world.subscribedToGrants(false);
    await world.place(wait.owner, { outcome: 'waiting', ...OURS });
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

  it('D41: let the first one ask at once when another learns that the lock is reserved for it', async () => {
    const [first, second] = [await enterListening(), await world.enter()];
    await world.place(second.owner, { ...OURS, holder: first.owner, head: first.owner, remaining: 60_000 });
    expect(world.attempting).toEqual([first.owner]);
    await world.grant(first.owner);
    expect([first.outcome, second.outcome]).toEqual([`granted ${first.owner}`, 'waiting']);
  });

  it('D41: let the first one ask when the lease ends of which another has learned', async () => {
    const [first, second] = [await enterListening(), await world.enter()];
    await world.place(second.owner, { ...OURS, remaining: 200 });
    await world.clock.advance(199);
    expect(world.attempting).toEqual([]);
    await world.clock.advance(10);
    expect(world.attempting).toEqual([first.owner]);
  });

  it('D40: let the first one ask again if it hears of a shorter lease while its reply is on its way', async () => {
    const first = await enterListening();
    await world.publishToClient('0');
    expect(world.attempting).toEqual([first.owner]);
    await world.publishToClient('1000');
    await world.place(first.owner, { outcome: 'waiting', ...OURS, remaining: 8000 });
    expect(world.attempting).toEqual([first.owner]);
  });

  it('D40: let the first one ask if it hears of a shorter lease while another asks for a place', async () => {
    const [first, second] = [await enterListening(), await world.enter()];
    await world.publishToClient('1000');
    expect(world.attempting).toEqual([second.owner, first.owner]);
    await world.place(second.owner, { ...OURS, remaining: 8000 });
    await world.place(first.owner, { outcome: 'waiting', ...OURS, remaining: 1000 });
    await world.clock.advance(1010);
    expect(world.attempting).toEqual([first.owner]);
  });

  it.each([1, 2])('D75: ask when the lease ends for which another was given the lock (%i waiting)', async (waiting) => {
    const first = await enterListening();
    for (let n = 1; n < waiting; n++) await world.enterPlaced({}, OURS);
    await world.publishToClient('3000');
    expect(world.attempting).toEqual([]);
    await world.clock.advance(2999);
    expect(world.attempting).toEqual([]);
    await world.clock.advance(10);
    expect(world.attempting).toEqual([first.owner]);
  });

  it('D75: ask nevertheless if they are told during their sleep that it is their turn', async () => {
    const wait = await enterListening();
    await world.publishToClient('3000');
    await world.publishToClient('0');
    expect(world.attempting).toEqual([wait.owner]);
  });

  it('D40: ask once more if they are told during their request that the lease ends sooner', async () => {
    const wait = await enterListening();
    await world.publishToClient('0');
    expect(world.attempting).toEqual([wait.owner]);
    await world.publishToClient('300');
    // The reply may be older than the message.
    await world.place(wait.owner, { outcome: 'waiting', ...OURS });
    expect(world.attempting).toEqual([wait.owner]);
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

  it('are all rejected if they may not listen', async () => {
    const wait = await world.enterPlaced({}, OURS);
    const error = new Error('Broken');
    world.pubSub.subscribes.take().fail(error);
    await world.settle();
    expect(wait.error).toBe(error);
    await expectNothing();
  });
});
