import { reply } from './scripted-attempts.js';
import { WaitQueueBench } from './wait-queue-bench.js';

describe('A waiter whose time is over during its own attempt', () => {
  it.each([
    { what: 'granted', end: 'a: granted 1' },
    { what: 'busy', end: 'a: LockTimeoutError' },
    { what: 'no reply', end: 'a: LockUnavailableError' },
    { what: 'wrong type', end: 'a: LockKeyTypeError' },
  ] as const)('settles with the reply, which is $what: $end', async ({ what, end }) => {
    const bench = new WaitQueueBench();
    bench.enter('a', { wait: 60 });
    await bench.untilAsleep();
    await bench.clock.advance(50);
    bench.pubSub.announce();
    const attempt = await bench.attempt();
    await bench.clock.advance(1000);
    expect(bench.ends).toEqual([]);
    reply(attempt, what);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual([end]);
    expect(bench.attempts.undone).toEqual([]);
    expect(bench.isClean).toBe(true);
  });

  it('is rejected with the result of that attempt, not of the one before', async () => {
    const bench = new WaitQueueBench();
    bench.enter('a', { wait: 60 });
    await bench.untilAsleep({ holder: 'earlier' });
    bench.pubSub.announce();
    const attempt = await bench.attempt();
    await bench.clock.advance(60);
    reply(attempt, 'busy');
    await bench.clock.advance(0);
    expect(bench.errors).toMatchObject([{ details: { holder: 'them', remaining: 7000, waited: 60 } }]);
  });
});

describe('A waiter that is aborted during its own attempt', () => {
  it.each([
    { what: 'granted', undone: [1] },
    { what: 'busy', undone: [] },
    { what: 'no reply', undone: [] },
    { what: 'wrong type', undone: [] },
  ] as const)('is rejected at once, before the reply: $what', async ({ what, undone }) => {
    const bench = new WaitQueueBench();
    const abort = new AbortController();
    bench.enter('a', { signal: abort.signal });
    const attempt = await bench.attempt();
    abort.abort('enough');
    await bench.clock.advance(0);
    expect(bench.errors).toMatchObject([{ code: 'LOCK_ABORTED', cause: 'enough' }]);
    reply(attempt, what);
    await bench.clock.advance(0);
    expect(bench.ends).toHaveLength(1);
    expect(bench.attempts.undone).toEqual(undone);
    expect(bench.idle).toBe(1);
    expect(bench.isClean).toBe(true);
  });

  it('D74: is rejected at once also after its time, and gives back what is granted then', async () => {
    const bench = new WaitQueueBench();
    const abort = new AbortController();
    bench.enter('a', { wait: 60, signal: abort.signal });
    const attempt = await bench.attempt();
    await bench.clock.advance(100);
    expect(bench.ends).toEqual([]);
    abort.abort();
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: LockAbortedError']);
    reply(attempt, 'granted');
    await bench.clock.advance(0);
    expect(bench.ends).toHaveLength(1);
    expect(bench.attempts.undone).toEqual([1]);
    expect(bench.isClean).toBe(true);
  });
});

describe('A waiter whose time is over during the attempt of another', () => {
  it.each([
    { before: undefined, atOnce: false, what: 'granted', error: { code: 'LOCK_TIMEOUT', details: { holder: 'us' } } },
    { before: undefined, atOnce: false, what: 'busy', error: { code: 'LOCK_TIMEOUT', details: { holder: 'them' } } },
    { before: undefined, atOnce: false, what: 'no reply', error: { code: 'LOCK_UNAVAILABLE' } },
    { before: undefined, atOnce: false, what: 'wrong type', error: { code: 'LOCK_KEY_TYPE' } },
    { before: 'busy', atOnce: true, what: 'granted', error: { code: 'LOCK_TIMEOUT', details: { holder: 'them' } } },
    { before: 'no reply', atOnce: true, what: 'busy', error: { code: 'LOCK_UNAVAILABLE' } },
  ] as const)(
    'is rejected at once: $atOnce, if the reply before was $before and that of the attempt is $what ($error.code)',
    async ({ before, atOnce, what, error }) => {
      const bench = new WaitQueueBench();
      bench.attempts.afterGrant = { holder: 'us', remaining: 30_000 };
      bench.enter('a');
      bench.enter('b', { wait: 60 });
      if (before !== undefined) reply(await bench.attempt(), before);
      const attempt = await bench.attempt();
      await bench.clock.advance(60);
      expect(bench.errors).toHaveLength(atOnce ? 1 : 0);
      reply(attempt, what);
      await bench.clock.advance(0);
      expect(bench.errors.at(-1)).toMatchObject(error);
      expect(bench.ends.filter((end) => end.startsWith('b'))).toHaveLength(1);
    },
  );
});

describe('The last attempt before the time of the first waiter is over', () => {
  it.each([
    { wait: 1000, instants: [980] },
    { wait: 101, instants: [81] },
    { wait: 100, instants: [] },
    // The poll comes before the last attempt.
    { wait: 5500, instants: [5000, 5480] },
  ])('is taken 20 ms before the end of $wait ms, not for 100 ms or less: $instants', async ({ wait, instants }) => {
    const bench = new WaitQueueBench();
    bench.enter('a', { wait });
    await bench.untilAsleep();
    await expect(bench.attemptsIn(wait)).resolves.toEqual(instants);
    expect(bench.ends).toEqual(['a: LockTimeoutError']);
    expect(bench.isClean).toBe(true);
  });

  it.each([
    { replyAfter: 19, what: 'granted', before: [], after: ['a: granted 1'], undone: [] },
    { replyAfter: 21, what: 'granted', before: ['a: LockTimeoutError'], after: ['a: LockTimeoutError'], undone: [1] },
    { replyAfter: 21, what: 'busy', before: ['a: LockTimeoutError'], after: ['a: LockTimeoutError'], undone: [] },
  ] as const)(
    'does not delay the end of the wait (reply after $replyAfter ms: $what): $after',
    async ({ replyAfter, what, before, after, undone }) => {
      const bench = new WaitQueueBench();
      bench.enter('a', { wait: 1000 });
      await bench.untilAsleep();
      await bench.clock.advance(980);
      const look = await bench.attempt();
      await bench.clock.advance(replyAfter);
      expect(bench.ends).toEqual(before);
      reply(look, what);
      await bench.clock.advance(0);
      expect(bench.ends).toEqual(after);
      expect(bench.attempts.undone).toEqual(undone);
      // The timer of all deadlines may run until the next one is due.
      await bench.clock.advance(20);
      expect(bench.isClean).toBe(true);
    },
  );
});
