import { unavailable } from './held-requests.js';
import { setUpWriters, type Writers } from './writers.js';

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

  it('are not announced while the first gets the lock at once and the second has not asked', async () => {
    const { acquire, settle, grant, withdrawn, locks } = setUpWriters();
    const abort = new AbortController();
    const first = acquire();
    const second = acquire({ signal: abort.signal });
    await settle();
    await grant();
    await expect(first).resolves.toBe('granted');
    expect(locks.acquires.sent).toHaveLength(1);
    abort.abort();
    await expect(second).resolves.toBe('LOCK_ABORTED');
    expect(withdrawn()).toEqual([]);
  });

  it('are announced by the second, if the first got the lock at once', async () => {
    const { acquire, settle, grant, sleep, waitingIds, withdrawn } = setUpWriters();
    const abort = new AbortController();
    const first = acquire();
    const second = acquire({ signal: abort.signal });
    await settle();
    await grant();
    await sleep();
    await expect(first).resolves.toBe('granted');
    const [id, same] = waitingIds();
    expect(same).toBe(id);
    abort.abort();
    await expect(second).resolves.toBe('LOCK_ABORTED');
    expect(withdrawn()).toEqual([id]);
  });

  it('stay announced when another is refused because too many wait', async () => {
    const { acquire, busy, sleep, settle, withdrawn, waitingIds } = setUpWriters({ maxQueue: 1 });
    const abort = new AbortController();
    const first = acquire({ signal: abort.signal });
    await settle();
    await busy();
    await sleep();
    await expect(acquire()).resolves.toBe('LOCK_QUEUE_FULL');
    expect(withdrawn()).toEqual([]);
    abort.abort();
    await expect(first).resolves.toBe('LOCK_ABORTED');
    expect(withdrawn()).toEqual(waitingIds().slice(0, 1));
  });

  it('have another id for another lock', async () => {
    const { acquire, settle, busy, waitingIds, locks } = setUpWriters();
    const abort = new AbortController();
    const one = acquire({ name: 'one', signal: abort.signal });
    void acquire({ name: 'other' });
    await settle();
    await busy();
    await busy();
    const [oneId, otherId] = waitingIds();
    expect(oneId).not.toBe(otherId);
    abort.abort();
    await expect(one).resolves.toBe('LOCK_ABORTED');
    expect(locks.withdrawals.sent).toMatchObject([{ name: 'one', id: oneId }]);
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

  it.each([
    ['is in vain', ({ busy }: Writers) => busy()],
    ['gets the lock', ({ grant }: Writers) => grant()],
    ['fails', ({ fail }: Writers) => fail(unavailable('unknown'))],
  ])('have another id after one that was aborted, whose attempt %s afterwards', async (_, answer) => {
    const writers = setUpWriters();
    const { acquire, settle, clock, busy, waitingIds, withdrawn } = writers;
    const [firstAbort, secondAbort] = [new AbortController(), new AbortController()];
    const first = acquire({ signal: firstAbort.signal });
    await settle();
    firstAbort.abort();
    await expect(first).resolves.toBe('LOCK_ABORTED');
    const second = acquire({ signal: secondAbort.signal });
    await answer(writers);
    // The next attempt is made at once, at the next poll, or a moment after a failed one.
    await clock.advance(1000);
    await busy();
    const [firstId, secondId] = waitingIds();
    expect(secondId).not.toBe(firstId);
    expect(withdrawn()).toEqual([firstId]);
    secondAbort.abort();
    await expect(second).resolves.toBe('LOCK_ABORTED');
    expect(withdrawn()).toEqual([firstId, secondId]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    'are withdrawn in the end, and not while one waits, if the next comes %i turns after the last was granted',
    async (turns) => {
      const { acquire, busy, sleep, announce, settle, grant, waitingIds, withdrawn, locks, pubSub } = setUpWriters();
      const first = acquire();
      await busy();
      await sleep();
      await announce();
      const { request, reply } = locks.acquires.take();
      reply({ outcome: 'acquired', sent: request.sentAt });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const second = acquire();
      await settle();
      await expect(first).resolves.toBe('granted');
      while (locks.acquires.unanswered.length > 0) await busy();
      if (pubSub.subscribes.unanswered.length > 0) await sleep();
      await announce();
      // The attempt in flight announces the second writer, under the id of the first or its own.
      expect(withdrawn()).not.toContain(waitingIds().at(-1));
      await grant();
      await expect(second).resolves.toBe('granted');
      expect(new Set(withdrawn())).toEqual(new Set(waitingIds()));
      expect(withdrawn()).toHaveLength(new Set(waitingIds()).size);
    },
  );
});

describe('The withdrawal of a writer that has stopped waiting', () => {
  const withdrawing = async () => {
    const writers = setUpWriters();
    const abort = new AbortController();
    const call = writers.acquire({ signal: abort.signal });
    await writers.settle();
    await writers.busy();
    await writers.sleep();
    abort.abort();
    await expect(call).resolves.toBe('LOCK_ABORTED');
    let settled = false;
    void writers.acquirer.settled().then(() => (settled = true));
    await writers.settle();
    expect(settled).toBe(false);
    return { ...writers, isSettled: () => settled };
  };

  it('is awaited only by the end of the application', async () => {
    const { locks, settle, isSettled, seen } = await withdrawing();
    locks.withdrawals.take().reply();
    await settle();
    expect(isSettled()).toBe(true);
    expect(seen).toEqual([]);
  });

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

  it('does not settle the attempts that are on their way', async () => {
    const { acquirer, acquire, settle, busy } = setUpWriters();
    void acquire();
    let settled = false;
    void acquirer.settled().then(() => (settled = true));
    await settle();
    expect(settled).toBe(false);
    await busy();
    expect(settled).toBe(true);
  });
});
