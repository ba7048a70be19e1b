import { FairWaiter } from '../../lib/waiting/fair/fair-waiter.js';
import { QueueHeartbeat, ServerOrder } from '../../lib/waiting/fair/queue-heartbeat.js';
import { FairParts, LEASE, NAME, SLOT } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

let parts: FairParts;

beforeEach(() => {
  parts = new FairParts();
});

describe('Leaving the queue of a fair lock', () => {
  const leave = (...owners: readonly string[]): void => {
    for (const owner of owners) parts.waiting.leaving.leave(NAME, owner, LEASE);
  };

  const reply = async (): Promise<void> => {
    parts.locks.leaves.take().reply();
    await parts.settle();
  };

  const batches = (): readonly (readonly string[])[] => parts.locks.leaves.sent.map(({ owners }) => owners);

  it('takes one request for all that leave in one turn, with the longest of their leases', async () => {
    const { leaving } = parts.waiting;
    leaving.leave(NAME, 'a', 200);
    leaving.leave(NAME, 'b', 700);
    leaving.leave(NAME, 'c', 300);
    await parts.settle();
    expect(parts.locks.leaves.sent).toEqual([{ name: NAME, owners: ['a', 'b', 'c'], lease: 700, slot: SLOT }]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'is reported once, also %i turns after the reply to the request before',
    async (turns) => {
      leave('a');
      await parts.settle();
      parts.locks.leaves.take().reply();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      leave('b');
      await parts.settle();
      expect(batches()).toEqual([['a'], ['b']]);
    },
  );

  it('takes a request for every hundred of many, one after the other', async () => {
    const owners = Array.from({ length: 250 }, (_, index) => `us:${index}`);
    leave(...owners);
    await parts.settle();
    expect(batches()).toEqual([owners.slice(0, 100)]);
    await reply();
    await reply();
    expect(batches().map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(parts.left).toEqual(owners);
  });

  it('that fails is an event for each waiter, continues with the others, and is under way until all are answered', async () => {
    leave('a', 'b');
    await parts.settle();
    leave('c');
    expect(parts.waiting.inFlight.size).toBe(1);
    const error = unavailable('unknown');
    parts.locks.leaves.take().fail(error);
    await parts.settle();
    expect(parts.seen).toEqual(['a', 'b'].map((owner) => ({ type: 'release-failed', lockName: NAME, owner, error })));
    expect(batches()).toEqual([['a', 'b'], ['c']]);
    expect(parts.waiting.inFlight.size).toBe(1);
    await reply();
    expect(parts.seen).toHaveLength(2);
    expect(parts.waiting.inFlight.size).toBe(0);
  });
});

describe('The heartbeat of the places in the queue of a fair lock', () => {
  const KEEP = SLOT / 3;
  const BATCH = 500;
  let places: ServerOrder<FairWaiter>;
  let lost: FairWaiter[];
  let failures: unknown[];
  let heartbeat: QueueHeartbeat;

  beforeEach(() => {
    places = new ServerOrder();
    lost = [];
    failures = [];
    heartbeat = new QueueHeartbeat(NAME, parts.waiting, places, {
      lost: (waiter) => void lost.push(waiter),
      failed: (error) => void failures.push(error),
    });
    heartbeat.start();
  });

  const enter = (count: number): readonly FairWaiter[] => {
    const callbacks = { granted: () => {}, refused: () => {} };
    const waiters = Array.from(
      { length: count },
      () => new FairWaiter(parts.context(), LEASE, callbacks, parts.waiting),
    );
    for (const waiter of waiters) places.add(waiter);
    return waiters;
  };

  const batches = (): readonly number[] => parts.locks.keeps.sent.map(({ owners }) => owners.length);

  /** Answers the oldest request: all places are kept except those of `gone`. */
  const reply = async (...gone: readonly (FairWaiter | undefined)[]): Promise<void> => {
    const held = parts.locks.keeps.take();
    held.reply(held.request.owners.map((owner) => !gone.some((waiter) => waiter?.owner === owner)));
    await parts.settle();
  };

  it('keeps all places in their order a third of a slot after its start, and after each answer', async () => {
    const owners = enter(3).map(({ owner }) => owner);
    await parts.clock.advance(KEEP - 1);
    expect(batches()).toEqual([]);
    await parts.clock.advance(1);
    expect(parts.locks.keeps.sent).toEqual([{ name: NAME, owners, slot: SLOT }]);
    await parts.clock.advance(KEEP);
    await reply();
    await parts.clock.advance(KEEP - 1);
    expect(batches()).toEqual([3]);
    await parts.clock.advance(1);
    expect(batches()).toEqual([3, 3]);
    expect([lost, failures]).toEqual([[], []]);
  });

  it('takes a request for every 500 places that are still there, and reports those that the server has lost', async () => {
    const waiters = enter(3 * BATCH);
    await parts.clock.advance(KEEP);
    for (const waiter of waiters.slice(BATCH, 2 * BATCH)) places.delete(waiter);
    for (const waiter of waiters.slice(2 * BATCH, -1)) places.delete(waiter);
    // It continues under another id since the request.
    waiters[0]?.startOver();
    await reply(waiters[1], waiters[2]);
    expect(batches()).toEqual([BATCH, 1]);
    await reply(waiters.at(-1));
    expect(lost).toEqual([waiters[1], waiters[2], waiters.at(-1)]);
    expect(batches()).toEqual([BATCH, 1]);
  });

  it.each([
    ['a failure for a moment', unavailable('unknown'), 0],
    ['a refusal for good', unavailable('refused', true), 1],
  ])(
    'skips the other batches after %s, and starts again after a tenth of a slot until it is stopped',
    async (...row) => {
      const [, error, reported] = row;
      enter(2 * BATCH);
      await parts.clock.advance(KEEP);
      for (const beats of [1, 2]) {
        expect(batches()).toHaveLength(beats);
        parts.locks.keeps.take().fail(error);
        await parts.clock.advance(SLOT / 10);
      }
      expect(failures).toEqual(Array.from({ length: 2 * reported }, () => error));
      heartbeat.stop();
      parts.locks.keeps.take().fail(error);
      await parts.settle();
      expect(parts.clock.pending).toBe(0);
    },
  );

  it('has one timer although the answer to a beat from before its restart comes after the next beat', async () => {
    enter(1);
    await parts.clock.advance(KEEP);
    heartbeat.stop();
    heartbeat.start();
    await parts.clock.advance(KEEP);
    expect(parts.locks.keeps.unanswered).toHaveLength(2);
    await reply();
    await reply();
    expect(parts.clock.pending).toBe(1);
    await parts.clock.advance(KEEP);
    expect(batches()).toHaveLength(3);
  });
});
