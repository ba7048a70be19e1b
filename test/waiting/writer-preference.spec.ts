import { unavailable } from './held-requests.js';
import { POLLING, SLOT, setUpWriters, type Writers } from './writers.js';

/** The interval between two heartbeats, and the time after which a failed one is sent again. */
const INTERVAL = SLOT / 3;
const RETRY = SLOT / 10;

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

describe('The announcement of a waiting writer', () => {
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
});

describe('A writer that goes before new readers while it waits', () => {
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
});

describe('Several writers of a process that wait for one lock', () => {
  /** Two writers wait. The first one was announced, and sleeps. */
  const twoWaiting = async () => {
    const writers = setUpWriters();
    const [firstAbort, secondAbort] = [new AbortController(), new AbortController()];
    const first = writers.acquire({ signal: firstAbort.signal });
    const second = writers.acquire({ signal: secondAbort.signal });
    await writers.settle();
    await writers.busy();
    await writers.sleep();
    const [id] = writers.waitingIds();
    return { ...writers, first, second, firstAbort, secondAbort, id };
  };

  type Two = Awaited<ReturnType<typeof twoWaiting>>;

  const grantNext = async ({ announce, grant }: Two): Promise<void> => {
    await announce();
    await grant();
  };

  const abortFirst = async ({ firstAbort, settle }: Two): Promise<void> => {
    firstAbort.abort();
    await settle();
  };

  const abortSecond = async ({ secondAbort, settle }: Two): Promise<void> => {
    secondAbort.abort();
    await settle();
  };

  it.each([
    ['the first and the second get the lock', grantNext, grantNext, ['granted', 'granted']],
    ['the first gets the lock and the second is aborted', grantNext, abortSecond, ['granted', 'LOCK_ABORTED']],
    ['the first is aborted and the second gets the lock', abortFirst, grantNext, ['LOCK_ABORTED', 'granted']],
    ['the second is aborted before the first gets the lock', abortSecond, grantNext, ['granted', 'LOCK_ABORTED']],
    ['both are aborted', abortFirst, abortSecond, ['LOCK_ABORTED', 'LOCK_ABORTED']],
  ])('have one id, which is withdrawn when the last of them goes: %s', async (_, goes, goesLast, outcomes) => {
    const two = await twoWaiting();
    await goes(two);
    expect(two.withdrawn()).toEqual([]);
    await goesLast(two);
    await expect(Promise.all([two.first, two.second])).resolves.toEqual(outcomes);
    expect(two.withdrawn()).toEqual([two.id]);
    expect(new Set(two.waitingIds())).toEqual(new Set([two.id]));
    expect(two.acquirer.contended).toBe(0);
  });

  it('have another id after the last of them was withdrawn, although that has no answer yet', async () => {
    const two = await twoWaiting();
    await abortFirst(two);
    await abortSecond(two);
    void two.acquire();
    await two.settle();
    const { waiting } = two.locks.acquires.take().request;
    expect(waiting?.id).not.toBe(two.id);
    two.locks.withdrawals.take().reply();
    await two.settle();
    expect(two.withdrawn()).toEqual([two.id]);
  });
});

describe('The withdrawal of a writer that has stopped waiting', () => {
  const withdrawing = async () => {
    const { abort, call, ...writers } = await waitingWriter();
    abort.abort();
    await expect(call).resolves.toBe('LOCK_ABORTED');
    let settled = false;
    void writers.acquirer.settled().then(() => (settled = true));
    await writers.settle();
    expect(settled).toBe(false);
    return { ...writers, isSettled: () => settled };
  };

  it.each([unavailable('unknown'), unavailable('refused', true), new TypeError('No reply')])(
    'that fails is an event, and is over: %s',
    async (error) => {
      const { locks, settle, isSettled, seen, waitingIds } = await withdrawing();
      locks.withdrawals.take().fail(error);
      await settle();
      expect(isSettled()).toBe(true);
      const [owner] = waitingIds();
      expect(seen).toEqual([{ type: 'release-failed', lockName: 'n', owner, error }]);
    },
  );
});
