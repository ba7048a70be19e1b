import { LockUnavailableError } from '../../lib/errors.js';
import { currentContext, runInContext, ScopeContext } from '../../lib/context/owner-context.js';
import { noReply } from './scripted-attempts.js';
import type { ScriptedPubSub } from './scripted-pub-sub.js';
import { WaitQueueBench } from './wait-queue-bench.js';

describe('The contender of a wait queue', () => {
  it('makes one attempt before it subscribes, one more when it is subscribed, and then sleeps', async () => {
    const bench = new WaitQueueBench();
    bench.enter('a');
    const first = await bench.attempt();
    expect(bench.pubSub.asked).toBe(0);
    first.busy();
    const second = await bench.attempt();
    expect(bench.pubSub.asked).toBe(1);
    second.busy();
    await expect(bench.attemptsIn(4999)).resolves.toEqual([]);
    expect(bench.pubSub.asked).toBe(1);
  });

  it.each([
    { found: {}, subscribed: true, from: 5000, to: 5000 },
    { found: {}, subscribed: false, from: 1000, to: 1000 },
    { found: { remaining: 300 }, subscribed: true, from: 301, to: 306 },
    { found: { remaining: 300 }, subscribed: false, from: 301, to: 306 },
    { found: { remaining: 20_000 }, subscribed: true, from: 5000, to: 5000 },
    { found: noReply(), subscribed: true, from: 50, to: 150 },
    { found: noReply(), subscribed: false, from: 50, to: 150 },
  ])(
    'sleeps $from to $to ms after it found $found (subscribed: $subscribed)',
    async ({ found, subscribed, from, to }) => {
      const bench = new WaitQueueBench();
      if (!subscribed) bench.pubSub.answer = () => Promise.reject(noReply());
      await bench.sleeping('a');
      await bench.untilNextAttempt();
      const attempt = await bench.attempt();
      if (found instanceof LockUnavailableError) attempt.fail(found);
      else attempt.busy(found);
      const slept = await bench.untilNextAttempt();
      expect(slept).toBeGreaterThanOrEqual(from);
      expect(slept).toBeLessThanOrEqual(to);
    },
  );

  it('asks for a subscription again before each sleep until it is subscribed, and attempts at once then', async () => {
    const bench = new WaitQueueBench();
    bench.pubSub.answer = () => Promise.reject(noReply());
    await bench.sleeping('a');
    await expect(bench.attemptsIn(2000)).resolves.toEqual([1000, 2000]);
    // The first failure ended the sleep of one that would hear.
    expect(bench.pubSub.asked).toBe(4);
    bench.pubSub.answer = async () => {};
    // The first attempt is that of the poll interval.
    await expect(bench.attemptsIn(1000)).resolves.toEqual([1000, 1000]);
    expect(bench.pubSub.asked).toBe(5);
    await expect(bench.attemptsIn(4999)).resolves.toEqual([]);
  });

  it.each([
    { title: 'is refused', answer: (pubSub: ScriptedPubSub) => void (pubSub.answer = () => Promise.reject(noReply())) },
    { title: 'takes too long', answer: (pubSub: ScriptedPubSub) => void (pubSub.areAlive = false) },
  ])('D71: polls only once its first subscription $title, not while that is on its way', async ({ answer }) => {
    const bench = new WaitQueueBench();
    let settle = (): void => {};
    const { pubSub } = bench;
    pubSub.answer = (channel) =>
      new Promise<void>((resolve) => void (settle = resolve)).then(() => pubSub.answer(channel));
    await bench.sleeping('a');
    await expect(bench.attemptsIn(3500)).resolves.toEqual([]);
    pubSub.answer = async () => {};
    answer(pubSub);
    settle();
    await expect(bench.attemptsIn(2000)).resolves.toEqual([0, 1000, 2000]);
  });

  it('polls as if it were not subscribed while the subscription is interrupted', async () => {
    const bench = new WaitQueueBench();
    await bench.sleeping('a');
    for (const subscription of bench.pubSub.subscriptions) subscription.alive = false;
    await expect(bench.attemptsIn(5000)).resolves.toEqual([5000]);
    await expect(bench.attemptsIn(3000)).resolves.toEqual([1000, 2000, 3000]);
    expect(bench.pubSub.asked).toBe(1);
  });

  it('attempts at once when something is announced, for the first waiter only', async () => {
    const bench = new WaitQueueBench();
    bench.enter('a', { wanted: 1 });
    bench.enter('b', { wanted: 2 });
    await bench.untilAsleep();
    await bench.clock.advance(100);
    bench.attempts.sent.length = 0;
    bench.pubSub.announce();
    await bench.untilAsleep();
    expect(bench.attempts.sent).toEqual([1]);
  });

  it('makes one attempt at a time, however often something is announced meanwhile', async () => {
    const bench = new WaitQueueBench();
    await bench.sleeping('a', 'b');
    bench.pubSub.announce();
    const attempt = await bench.attempt();
    for (let count = 0; count < 3; count += 1) bench.pubSub.announce();
    bench.enter('c');
    await bench.clock.advance(100);
    expect(bench.attempts.unanswered).toEqual([]);
    attempt.busy();
    await expect(bench.attemptsIn(100)).resolves.toEqual([0]);
  });

  it.each([
    { found: {}, isShared: false, sent: [] },
    { found: { available: 0 }, isShared: false, sent: [] },
    { found: { available: 2 }, isShared: false, sent: [5, 1] },
    { found: {}, isShared: true, sent: [5] },
  ])(
    'attempts for $sent when a newcomer wants 1, the first waiter 5, and the last attempt found $found (shared: $isShared)',
    async ({ found, isShared, sent }) => {
      const bench = new WaitQueueBench();
      bench.attempts.isShared = isShared;
      bench.attempts.mayStillSucceed = (wanted, { available = 0 }) => wanted <= available;
      bench.enter('a', { wanted: 5 });
      await bench.untilAsleep(found);
      bench.attempts.sent.length = 0;
      bench.enter('b', { wanted: 1 });
      await bench.clock.advance(0);
      bench.attempts.unanswered.shift()?.busy(found);
      await bench.clock.advance(0);
      expect(bench.attempts.sent).toEqual(sent);
    },
  );

  it.each([
    { afterGrant: undefined, sent: [1, 2] },
    { afterGrant: { remaining: -1 }, sent: [1] },
    { afterGrant: { remaining: -1, available: 2 }, sent: [1, 2] },
    { afterGrant: { remaining: -1, available: 1 }, sent: [1] },
  ])(
    'attempts for $sent in one go if the first attempt succeeds and leaves $afterGrant',
    async ({ afterGrant, sent }) => {
      const bench = new WaitQueueBench();
      bench.attempts.afterGrant = afterGrant;
      bench.attempts.mayStillSucceed = (wanted, { available = 0 }) => wanted <= available;
      // A confirmed subscription would cause another attempt.
      bench.pubSub.answer = () => new Promise(() => {});
      bench.enter('a', { wanted: 1 });
      bench.enter('b', { wanted: 2 });
      (await bench.attempt()).grant(1);
      await bench.clock.advance(0);
      expect(bench.attempts.sent).toEqual(sent);
      expect(bench.ends).toEqual(['a: granted 1']);
    },
  );

  it('grants the result of one attempt to every earlier waiter, if results are shared', async () => {
    const bench = new WaitQueueBench();
    bench.attempts.isShared = true;
    bench.attempts.afterGrant = undefined;
    await bench.sleeping('a', 'b');
    bench.pubSub.announce();
    const attempt = await bench.attempt();
    bench.enter('c');
    attempt.grant(1);
    (await bench.attempt()).grant(2);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: granted 1', 'b: granted 1', 'c: granted 2']);
    expect(bench.isClean).toBe(true);
  });

  it('attempts for the next waiter if the subscription is confirmed during an attempt that succeeds', async () => {
    const bench = new WaitQueueBench();
    let confirm = (): void => {};
    bench.pubSub.answer = () => new Promise((resolve) => void (confirm = resolve));
    await bench.sleeping('a', 'b');
    await bench.clock.advance(5000);
    const attempt = await bench.attempt();
    confirm();
    await bench.clock.advance(0);
    // An announcement may have been sent between the attempt and the subscription.
    attempt.grant(1);
    (await bench.attempt()).grant(2);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: granted 1', 'b: granted 2']);
  });

  it.each([false, true])('makes no attempt for others after one without an answer (shared: %s)', async (isShared) => {
    const bench = new WaitQueueBench();
    bench.attempts.isShared = isShared;
    bench.attempts.mayStillSucceed = () => true;
    // A confirmed subscription would cause another attempt.
    bench.pubSub.answer = () => new Promise(() => {});
    bench.enter('a');
    // Beside a shared attempt, it would be a reason for another one.
    if (!isShared) bench.enter('b');
    (await bench.attempt()).fail(noReply());
    await bench.clock.advance(0);
    bench.enter('c');
    await bench.clock.advance(49);
    expect(bench.attempts.sent).toEqual([1]);
  });

  it('attempts outside the context of the waiter that came first', async () => {
    const bench = new WaitQueueBench();
    const regions: unknown[] = [];
    const attempt = bench.attempts.attempt.bind(bench.attempts);
    bench.attempts.attempt = (name, wanted) => {
      regions.push(currentContext());
      return attempt(name, wanted);
    };
    runInContext(new ScopeContext(), () => bench.enter('a'));
    await bench.untilAsleep();
    expect(regions).toEqual([undefined, undefined]);
  });
});
