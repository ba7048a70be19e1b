import { unavailable } from './held-requests.js';
import { LEASE, POLLING, SLOT, setUpWriters, type Writers } from './writers.js';

/** The interval between two heartbeats, and the time after which a failed one is sent again. */
const INTERVAL = SLOT / 3;
const RETRY = SLOT / 10;

describe('The announcement of a waiting writer', () => {
  const waitingWriter = async () => {
    const writers = setUpWriters();
    const abort = new AbortController();
    const call = writers.acquire({ signal: abort.signal });
    await writers.settle();
    await writers.busy();
    await writers.sleep();
    const { announcements } = writers.locks;
    const answer = async (): Promise<void> => {
      announcements.take().reply();
      await writers.settle();
    };
    return { ...writers, abort, call, announcements, answer };
  };

  it('D43: is kept by a heartbeat, every third of its slot, while the writer sleeps', async () => {
    const { clock, announcements, answer, waitingIds } = await waitingWriter();
    const [id] = waitingIds();
    for (let beats = 1; beats <= 3; beats += 1) {
      await clock.advance(INTERVAL - 1);
      expect(announcements.unanswered).toEqual([]);
      await clock.advance(1);
      expect(announcements.unanswered).toEqual([{ name: 'n', id, slot: SLOT }]);
      await answer();
    }
  });

  it('D43: is sent again soon after a heartbeat that failed, so that a live writer keeps it', async () => {
    const { clock, announcements, answer } = await waitingWriter();
    await clock.advance(INTERVAL);
    for (const outcome of ['unknown', 'not-sent', 'refused'] as const) {
      announcements.take().fail(unavailable(outcome));
      await clock.advance(RETRY - 1);
      expect(announcements.unanswered).toEqual([]);
      await clock.advance(1);
    }
    await answer();
    await clock.advance(INTERVAL);
    expect(announcements.unanswered).toHaveLength(1);
  });

  it('D43: is kept after an attempt of unknown outcome, which may have made it', async () => {
    const { clock, acquire, fail, locks } = setUpWriters();
    void acquire();
    await fail(unavailable('unknown'));
    await clock.advance(INTERVAL);
    expect(locks.announcements.unanswered).toHaveLength(1);
  });

  it.each([
    ['is aborted', async ({ abort }: Awaited<ReturnType<typeof waitingWriter>>) => abort.abort()],
    [
      'gets the lock',
      async ({ announce, grant }: Awaited<ReturnType<typeof waitingWriter>>) => {
        await announce();
        await grant();
      },
    ],
  ])('D43: is not kept any more once the writer %s, whenever a heartbeat is answered', async (_, end) => {
    const writers = await waitingWriter();
    const { clock, announcements, answer, settle, withdrawn, call, locks } = writers;
    await clock.advance(INTERVAL);
    await end(writers);
    await call;
    await answer();
    await settle();
    await clock.advance(10 * SLOT);
    expect(announcements.sent).toHaveLength(1);
    expect(withdrawn()).toHaveLength(1);
    locks.withdrawals.take().reply();
    await writers.acquirer.settled();
  });

  it('D43: is kept from the next attempt on if a heartbeat failed for good', async () => {
    const { clock, announcements, announce, busy } = await waitingWriter();
    await clock.advance(INTERVAL);
    announcements.take().fail(unavailable('refused', true));
    await clock.advance(POLLING.subscribed - 2 * INTERVAL);
    expect(announcements.unanswered).toEqual([]);
    await announce();
    await busy();
    await clock.advance(INTERVAL);
    expect(announcements.unanswered).toHaveLength(1);
  });

  it('D43: is awaited by the end of the application while a heartbeat is on its way', async () => {
    const { clock, acquirer, abort, answer, call, locks, settle } = await waitingWriter();
    await clock.advance(INTERVAL);
    abort.abort();
    await call;
    locks.withdrawals.take().reply();
    let settled = false;
    void acquirer.settled().then(() => (settled = true));
    await settle();
    expect(settled).toBe(false);
    await answer();
    expect(settled).toBe(true);
  });
});

describe('A writer that goes before new readers while it waits', () => {
  it('is announced by its first attempt, for one slot', async () => {
    const { locks, acquire, waitingIds } = setUpWriters();
    void acquire();
    expect(locks.acquires.sent).toMatchObject([{ name: 'n', lease: LEASE, waiting: { slot: SLOT } }]);
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

  it('is announced again under the same id by each of its attempts', async () => {
    const { clock, locks, acquire, busy, sleep, announce, waitingIds } = setUpWriters();
    void acquire();
    await busy();
    await sleep();
    await announce();
    await busy();
    await clock.advance(POLLING.subscribed);
    expect(locks.acquires.unanswered).toHaveLength(1);
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
    expect(locks.withdrawals.sent).toEqual([{ name: 'n', id: waitingIds()[0], slot: SLOT }]);
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
