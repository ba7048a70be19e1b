import { LockQueueFullError, LockUnavailableError, LockKeyTypeError } from '../../lib/errors.js';
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
});
