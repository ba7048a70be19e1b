import { LockQueueFullError, LockUnavailableError, LockKeyTypeError } from '../../lib/errors.js';
import { noReply } from './scripted-attempts.js';
import { WaitQueueBench } from './wait-queue-bench.js';

describe('A full wait queue', () => {
  it.each([
    { maxQueue: 1, waiting: ['a'], attemptUnderWay: false },
    { maxQueue: 2, waiting: ['a', 'b'], attemptUnderWay: false },
    { maxQueue: 2, waiting: ['a'], attemptUnderWay: true },
  ])(
    'refuses a newcomer at $maxQueue (waiting: $waiting, first attempt of an earlier caller under way: $attemptUnderWay)',
    async ({ maxQueue, waiting, attemptUnderWay }) => {
      const bench = new WaitQueueBench({ maxQueue });
      if (attemptUnderWay) bench.firstAttempt = new Promise(() => {});
      for (const who of waiting) bench.enter(who);
      await bench.untilAsleep();
      bench.enter('late');
      await bench.clock.advance(0);
      expect(bench.ends).toEqual(['late: LockQueueFullError']);
      expect(bench.errors).toEqual([expect.any(LockQueueFullError)]);
      expect(bench.errors).toMatchObject([{ lockName: 'n', details: { waiters: maxQueue } }]);
      expect(bench.idle).toBe(0);
    },
  );

  it('ends if it was created for a caller that it refused', async () => {
    const bench = new WaitQueueBench({ maxQueue: 1 });
    bench.firstAttempt = new Promise(() => {});
    bench.enter('a');
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: LockQueueFullError']);
    expect(bench.idle).toBe(1);
    expect(bench.attempts.sent).toEqual([]);
    expect(bench.isClean).toBe(true);
  });

  it('accepts a newcomer when a waiter has left', async () => {
    const bench = new WaitQueueBench({ maxQueue: 1 });
    const abort = new AbortController();
    bench.enter('a', { signal: abort.signal });
    await bench.untilAsleep();
    abort.abort();
    bench.enter('b');
    (await bench.attempt()).grant(1);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: LockAbortedError', 'b: granted 1']);
  });
});

describe('A wait queue that fails', () => {
  const PERMANENT = [
    new LockKeyTypeError('a hash'),
    new LockUnavailableError('NOPERM', 'refused', true),
    new TypeError(),
  ];

  it.each(PERMANENT)(
    'rejects every waiter with the error of an attempt that no repetition helps: %p',
    async (error) => {
      const bench = new WaitQueueBench();
      await bench.sleeping('a', 'b');
      bench.pubSub.announce();
      const attempt = await bench.attempt();
      bench.enter('c');
      attempt.fail(error);
      await bench.clock.advance(0);
      expect(bench.errors).toEqual([error, error, error]);
      expect(bench.idle).toBe(1);
      expect(bench.isClean).toBe(true);
    },
  );

  it('keeps its waiters after an attempt that may succeed later', async () => {
    const bench = new WaitQueueBench();
    await bench.sleeping('a', 'b');
    bench.pubSub.announce();
    (await bench.attempt()).fail(noReply());
    await bench.clock.advance(200);
    bench.attempts.afterGrant = undefined;
    (await bench.attempt()).grant(1);
    (await bench.attempt()).grant(2);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: granted 1', 'b: granted 2']);
    expect(bench.isClean).toBe(true);
  });

  it('rejects every waiter, asleep or not, with the error of a subscription that no repetition helps', async () => {
    const bench = new WaitQueueBench();
    const broken = new TypeError('broken');
    let refuse = (_error: Error): void => {};
    bench.pubSub.answer = () => new Promise((_resolve, reject) => void (refuse = reject));
    await bench.sleeping('a', 'b');
    refuse(broken);
    await bench.clock.advance(0);
    expect(bench.errors).toEqual([broken, broken]);
    expect(bench.idle).toBe(1);
    expect(bench.isClean).toBe(true);
  });

  it('leaves no timer behind if its subscription fails during a hand-over to the last waiter', async () => {
    const bench = new WaitQueueBench();
    let refuse = (_error: Error): void => {};
    bench.pubSub.answer = () => new Promise((_resolve, reject) => void (refuse = reject));
    await bench.sleeping('a');
    bench.queue.handOver({ id: 1 });
    await bench.clock.advance(0);
    refuse(new TypeError('broken'));
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: granted 1']);
    expect(bench.idle).toBe(1);
    expect(bench.isClean).toBe(true);
  });

  it('reports its end again if its subscription fails after the last waiter left', async () => {
    const bench = new WaitQueueBench();
    let refuse = (_error: Error): void => {};
    bench.pubSub.answer = () => new Promise((_resolve, reject) => void (refuse = reject));
    bench.enter('a', { wait: 50 });
    await bench.untilAsleep();
    await bench.clock.advance(50);
    expect(bench.idle).toBe(1);
    refuse(new TypeError('broken'));
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: LockTimeoutError']);
    expect(bench.isClean).toBe(true);
  });
});

describe('A wait queue whose last waiter leaves', () => {
  it.each([
    { during: 'its first attempt', confirmed: false, asleep: false },
    { during: 'its sleep before the subscription is confirmed', confirmed: false, asleep: true },
    { during: 'its sleep', confirmed: true, asleep: true },
  ])('ends without a trace: during $during', async ({ confirmed, asleep }) => {
    const bench = new WaitQueueBench();
    let confirm = (): void => {};
    if (!confirmed) bench.pubSub.answer = () => new Promise((resolve) => void (confirm = resolve));
    const abort = new AbortController();
    bench.enter('a', { signal: abort.signal });
    await bench.clock.advance(0);
    if (asleep) await bench.untilAsleep();
    abort.abort();
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: LockAbortedError']);
    await bench.untilAsleep();
    confirm();
    await bench.clock.advance(0);
    expect(bench.idle).toBe(1);
    expect(bench.isClean).toBe(true);
  });

  it('is used by a newcomer that comes while the attempt of the last waiter is still under way', async () => {
    const bench = new WaitQueueBench();
    const abort = new AbortController();
    bench.enter('a', { signal: abort.signal });
    const attempt = await bench.attempt();
    abort.abort();
    bench.enter('b');
    attempt.busy();
    await bench.untilAsleep();
    bench.pubSub.announce();
    (await bench.attempt()).grant(2);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: LockAbortedError', 'b: granted 2']);
    expect(bench.idle).toBe(1);
    expect(bench.isClean).toBe(true);
  });
});

describe('A wait queue without announcements', () => {
  it.each([
    { pauses: () => [10, 20], expected: [0, 10, 30, 50, 70] },
    { pauses: () => [70], expected: [0, 70] },
    { pauses: undefined, expected: [0] },
  ])('attempts at $expected ms in the first 80 ms', async ({ pauses, expected }) => {
    const bench = new WaitQueueBench({ channel: false });
    bench.enter('a', pauses && { pauses });
    await expect(bench.attemptsIn(80)).resolves.toEqual(expected);
    expect(bench.pubSub.asked).toBe(0);
  });

  it('polls every second for a waiter without pauses of its own', async () => {
    const bench = new WaitQueueBench({ channel: false });
    bench.enter('a');
    await expect(bench.attemptsIn(2500)).resolves.toEqual([0, 1000, 2000]);
  });

  it.each([
    { next: { pauses: () => [30] }, pause: 30 },
    { next: {}, pause: 1000 },
  ])('pauses $pause ms, as the next waiter does, when the first leaves during its pause', async ({ next, pause }) => {
    const bench = new WaitQueueBench({ channel: false });
    const abort = new AbortController();
    bench.enter('a', { signal: abort.signal, pauses: () => [60_000] });
    bench.enter('b', next);
    await bench.attemptsIn(10);
    abort.abort();
    await expect(bench.untilNextAttempt()).resolves.toBe(pause);
    expect(bench.ends).toEqual(['a: LockAbortedError']);
  });

  it('does not change its pace when a waiter leaves that was not the first', async () => {
    const bench = new WaitQueueBench({ channel: false });
    const abort = new AbortController();
    bench.enter('a', { pauses: () => [50] });
    bench.enter('b', { signal: abort.signal, pauses: () => [5] });
    await bench.attemptsIn(10);
    abort.abort();
    await expect(bench.untilNextAttempt()).resolves.toBe(40);
  });

  it('rejects a waiter whose own pauses turn out to be invalid, and attempts for the next', async () => {
    const bench = new WaitQueueBench({ channel: false });
    bench.enter('a', { wanted: 1, pauses: () => [10, Number.NaN] });
    bench.enter('b', { wanted: 2, pauses: () => [20] });
    await bench.untilAsleep();
    expect(bench.ends).toEqual(['a: LockOptionsError']);
    bench.attempts.sent.length = 0;
    await bench.attemptsIn(50);
    expect(bench.attempts.sent).toEqual([2, 2]);
    expect(bench.idle).toBe(0);
  });

  it('pauses 50 to 150 ms after an attempt without an answer, whatever the pace of the first waiter', async () => {
    const bench = new WaitQueueBench({ channel: false });
    bench.enter('a', { pauses: () => [1] });
    (await bench.attempt()).fail(noReply());
    const slept = await bench.untilNextAttempt();
    expect(slept).toBeGreaterThanOrEqual(50);
    expect(slept).toBeLessThanOrEqual(150);
  });
});
