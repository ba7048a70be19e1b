import { unavailable } from './held-requests.js';
import { LEASE, PATIENCE, POLLING, setUpWriters, type Writers } from './writers.js';

describe('A writer that goes before new readers while it waits', () => {
  it('is announced by its first attempt, for two polls and a second', async () => {
    const { locks, acquire, waitingIds } = setUpWriters();
    void acquire();
    expect(locks.acquires.sent).toMatchObject([{ name: 'n', lease: LEASE, waiting: { patience: PATIENCE } }]);
    expect(waitingIds()).not.toContain(locks.acquires.sent[0]?.owner);
  });

  it.each([
    ['without a wait', { wait: 0 }],
    ['that was aborted before', { signal: AbortSignal.abort() }],
  ])('is not announced by a call %s', async (_, terms) => {
    const { locks, acquire, busy, withdrawn } = setUpWriters();
    const call = acquire(terms);
    for (const { waiting } of locks.acquires.unanswered) {
      expect(waiting).toBeUndefined();
      await busy();
    }
    await expect(call).resolves.toBe('signal' in terms ? 'LOCK_ABORTED' : 'LOCK_CONFLICT');
    expect(withdrawn()).toEqual([]);
  });

  it('is announced again under the same id by each of its attempts, in time', async () => {
    const { clock, locks, acquire, busy, sleep, announce, waitingIds } = setUpWriters();
    void acquire();
    await busy();
    await sleep();
    await announce();
    await busy();
    const before = clock.now();
    await clock.advance(POLLING.subscribed);
    expect(locks.acquires.unanswered).toHaveLength(1);
    expect(clock.now() - before).toBeLessThan(PATIENCE);
    expect(new Set(waitingIds()).size).toBe(1);
    expect(waitingIds()).toHaveLength(4);
    expect(new Set(locks.acquires.sent.map(({ owner }) => owner)).size).toBe(4);
  });

  it('has nothing to withdraw if its first attempt gets the lock', async () => {
    const { acquire, grant, withdrawn, acquirer } = setUpWriters();
    const call = acquire();
    await grant();
    await expect(call).resolves.toBe('granted');
    expect(withdrawn()).toEqual([]);
    expect(acquirer.contended).toBe(0);
  });

  it('is withdrawn once it gets the lock after a failed attempt', async () => {
    const { acquire, busy, sleep, announce, grant, waitingIds, withdrawn, locks } = setUpWriters();
    const call = acquire();
    await busy();
    await sleep();
    expect(withdrawn()).toEqual([]);
    await announce();
    await grant();
    await expect(call).resolves.toBe('granted');
    expect(locks.withdrawals.sent).toEqual([{ name: 'n', id: waitingIds()[0] }]);
  });

  it.each([
    ['its time is over', 'LOCK_TIMEOUT', async ({ clock }: Writers) => clock.advance(100)],
    ['it is aborted', 'LOCK_ABORTED', async (_: Writers, abort: AbortController) => abort.abort()],
  ])('is withdrawn when %s while it sleeps', async (_, outcome, end) => {
    const writers = setUpWriters();
    const { acquire, busy, sleep, settle, waitingIds, withdrawn, pubSub } = writers;
    const abort = new AbortController();
    const call = acquire({ wait: 50, signal: abort.signal });
    await settle();
    await busy();
    await sleep();
    await end(writers, abort);
    await expect(call).resolves.toBe(outcome);
    expect(withdrawn()).toEqual(waitingIds().slice(0, 1));
    expect(pubSub.channels).toEqual([]);
  });

  it.each([
    ['is in vain', ({ busy }: Writers) => busy(), 0],
    ['gets the lock', ({ grant }: Writers) => grant(), 1],
    ['fails', ({ fail }: Writers) => fail(unavailable('unknown')), 0],
  ])(
    'is withdrawn at once when it is aborted, once, also if the attempt on its way %s',
    async (_, answer, released) => {
      const world = setUpWriters();
      const { acquire, settle, waitingIds, withdrawn, locks, clock } = world;
      const abort = new AbortController();
      const call = acquire({ signal: abort.signal });
      await settle();
      abort.abort();
      await expect(call).resolves.toBe('LOCK_ABORTED');
      expect(withdrawn()).toEqual(waitingIds());
      await answer(world);
      await clock.advance(10);
      expect(withdrawn()).toHaveLength(1);
      expect(locks.releases.sent).toHaveLength(released);
      expect(waitingIds()).toHaveLength(1);
    },
  );

  it.each([
    ['is refused for good', unavailable('refused', true)],
    ['fails for good with an unknown outcome', unavailable('unknown', true)],
  ])('is withdrawn after an attempt that %s', async (_, error) => {
    const { acquire, fail, waitingIds, withdrawn } = setUpWriters();
    const call = acquire();
    await fail(error);
    await expect(call).resolves.toBe('LOCK_UNAVAILABLE');
    expect(withdrawn()).toEqual(waitingIds());
  });

  it('stays announced after an attempt of unknown outcome, and is withdrawn when the next one gets the lock', async () => {
    const { clock, acquire, fail, grant, waitingIds, withdrawn } = setUpWriters();
    const call = acquire();
    await fail(unavailable('unknown'));
    await clock.advance(150);
    expect(withdrawn()).toEqual([]);
    await grant();
    await expect(call).resolves.toBe('granted');
    expect(withdrawn()).toEqual(waitingIds().slice(0, 1));
  });
});
