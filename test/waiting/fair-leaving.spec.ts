import { runInContext, ScopeContext } from '../../lib/context/owner-context.js';
import { FairParts, LEASE, NAME, SLOT } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

/** The number of places that one request gives up. */
const BATCH = 100;

describe('Leaving the queue of a fair lock', () => {
  let parts: FairParts;

  beforeEach(() => {
    parts = new FairParts();
  });

  const leave = (...owners: readonly string[]): void => {
    for (const owner of owners) parts.waiting.leaving.leave(NAME, owner, LEASE);
  };

  const reply = async (): Promise<void> => {
    parts.locks.leaves.take().reply();
    await parts.settle();
  };

  const batches = (): readonly (readonly string[])[] => parts.locks.leaves.sent.map(({ owners }) => owners);

  const isSettled = async (): Promise<boolean> => {
    let settled = false;
    void parts.waiting.inFlight.settled().then(() => (settled = true));
    await parts.settle();
    return settled;
  };

  it('takes one request for all that leave in one turn, with the longest of their leases', async () => {
    const { leaving } = parts.waiting;
    leaving.leave(NAME, 'a', 200);
    leaving.leave(NAME, 'b', 700);
    leaving.leave(NAME, 'c', 300);
    expect(parts.locks.leaves.sent).toEqual([]);
    await parts.settle();
    expect(parts.locks.leaves.sent).toEqual([{ name: NAME, owners: ['a', 'b', 'c'], lease: 700, slot: SLOT }]);
  });

  it('waits for the answer to the request before, and then goes on with all that left meanwhile', async () => {
    leave('a');
    await parts.settle();
    leave('b');
    await parts.settle();
    leave('c');
    await parts.settle();
    expect(batches()).toEqual([['a']]);
    await reply();
    expect(batches()).toEqual([['a'], ['b', 'c']]);
    await reply();
    leave('d');
    await parts.settle();
    expect(batches()).toEqual([['a'], ['b', 'c'], ['d']]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'is reported once, also %i turns after the reply to the last request',
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
    const owners = Array.from({ length: 2 * BATCH + 50 }, (_, index) => `us:${index}`);
    leave(...owners);
    await parts.settle();
    expect(batches()).toEqual([owners.slice(0, BATCH)]);
    await reply();
    await reply();
    expect(batches().map(({ length }) => length)).toEqual([BATCH, BATCH, 50]);
    expect(parts.left).toEqual(owners);
  });

  it('of one lock does not wait for that of another', async () => {
    leave('a');
    parts.waiting.leaving.leave('other', 'b', LEASE);
    await parts.settle();
    expect(parts.locks.leaves.sent).toMatchObject([
      { name: NAME, owners: ['a'] },
      { name: 'other', owners: ['b'] },
    ]);
    parts.locks.leaves.take(({ name }) => name === 'other').reply();
    parts.waiting.leaving.leave('other', 'c', LEASE);
    await parts.settle();
    expect(parts.locks.leaves.sent.at(-1)).toMatchObject({ name: 'other', owners: ['c'] });
  });

  it('that fails is an event for each waiter, and continues with the others', async () => {
    leave('a', 'b');
    await parts.settle();
    leave('c');
    const error = unavailable('unknown');
    parts.locks.leaves.take().fail(error);
    await parts.settle();
    expect(parts.seen).toEqual(['a', 'b'].map((owner) => ({ type: 'release-failed', lockName: NAME, owner, error })));
    expect(batches()).toEqual([['a', 'b'], ['c']]);
    await reply();
    expect(parts.seen).toHaveLength(2);
  });

  it('is under way until the last request has its answer', async () => {
    leave('a');
    await expect(isSettled()).resolves.toBe(false);
    leave('b');
    await reply();
    await expect(isSettled()).resolves.toBe(false);
    parts.locks.leaves.take().fail(unavailable('refused'));
    await expect(isSettled()).resolves.toBe(true);
  });

  it('continues outside the context of the waiter', async () => {
    runInContext(new ScopeContext(), () => leave('a'));
    await parts.settle();
    expect([...parts.locks.leaves.regions]).toEqual([undefined]);
  });
});
