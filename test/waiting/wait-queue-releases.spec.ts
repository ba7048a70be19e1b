import { released } from './released.js';
import { WaitQueueBench } from './wait-queue-bench.js';

describe('A hand-over to a wait queue', () => {
  it.each([
    { title: 'the queue has no waiters', waiting: [], canTransfer: true, underWay: false, handed: false, ends: [] },
    { title: 'it cannot be transferred', waiting: ['a'], canTransfer: false, underWay: false, handed: false, ends: [] },
    { title: 'an earlier caller attempts', waiting: ['a'], canTransfer: true, underWay: true, handed: false, ends: [] },
    {
      title: 'two wait',
      waiting: ['a', 'b'],
      canTransfer: true,
      underWay: false,
      handed: true,
      ends: ['a: granted 5'],
    },
  ])('succeeds: $handed, if $title', async ({ waiting, canTransfer, underWay, handed, ends }) => {
    const bench = new WaitQueueBench();
    await bench.sleeping(...waiting);
    bench.attempts.canTransfer = canTransfer;
    if (underWay) bench.firstAttempt = new Promise(() => {});
    const { length } = bench.attempts.sent;
    expect(bench.queue.handOver({ id: 5 })).toBe(handed);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(ends);
    expect(bench.attempts.sent).toHaveLength(length);
  });

  it('does not happen without announcements, since the queue would sleep through the release that follows', async () => {
    const bench = new WaitQueueBench({ channel: false });
    await bench.sleeping('a');
    expect(bench.queue.handOver({ id: 5 })).toBe(false);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual([]);
  });

  it('to the only waiter keeps the queue and its subscription for 5 ms, without an attempt', async () => {
    const bench = new WaitQueueBench();
    await bench.sleeping('a');
    bench.queue.handOver({ id: 1 });
    await expect(bench.attemptsIn(4)).resolves.toEqual([]);
    expect(bench.idle).toBe(0);
    expect(bench.pubSub.active).toHaveLength(1);
    await expect(bench.attemptsIn(1)).resolves.toEqual([]);
    expect(bench.idle).toBe(1);
    expect(bench.isClean).toBe(true);
  });

  it('lets the next waiter attempt when nothing has come back after 5 ms', async () => {
    const bench = new WaitQueueBench();
    await bench.sleeping('a', 'b');
    bench.queue.handOver({ id: 1 });
    await expect(bench.attemptsIn(20)).resolves.toEqual([5]);
  });

  it('serves every waiter in a row without an attempt, newcomers included', async () => {
    const bench = new WaitQueueBench();
    await bench.sleeping('a');
    const { length } = bench.attempts.sent;
    bench.queue.handOver({ id: 1 });
    await bench.clock.advance(2);
    bench.enter('b');
    await bench.clock.advance(2);
    bench.queue.handOver({ id: 2 });
    bench.enter('c');
    bench.queue.handOver({ id: 3 });
    // The 5 ms count from the first hand-over.
    await bench.clock.advance(1);
    expect(bench.ends).toEqual(['a: granted 1', 'b: granted 2', 'c: granted 3']);
    expect(bench.attempts.sent).toHaveLength(length);
    expect(bench.idle).toBe(1);
    expect(bench.isClean).toBe(true);
  });

  it.each([
    { what: 'busy', undone: [] },
    { what: 'granted', undone: [9] },
  ])('during the attempt for the same waiter leaves the reply unused: $what', async ({ what, undone }) => {
    const bench = new WaitQueueBench();
    await bench.sleeping('a');
    bench.pubSub.announce();
    const attempt = await bench.attempt();
    bench.queue.handOver({ id: 5 });
    await bench.clock.advance(2);
    if (what === 'busy') attempt.busy();
    else attempt.grant(9);
    await expect(bench.attemptsIn(2)).resolves.toEqual([]);
    expect(bench.idle).toBe(0);
    await expect(bench.attemptsIn(1)).resolves.toEqual([]);
    expect(bench.ends).toEqual(['a: granted 5']);
    expect(bench.attempts.undone).toEqual(undone);
    expect(bench.idle).toBe(1);
    expect(bench.isClean).toBe(true);
  });
});

describe('A release by this process', () => {
  it.each([
    // One of the clients that received the announcement is this process, if it is subscribed.
    { subscribed: true, told: 1, announcements: 0 },
    { subscribed: true, told: 2, announcements: 2 },
    { subscribed: true, told: 4, announcements: 4 },
    { subscribed: false, told: 0, announcements: 0 },
  ])(
    'lets the next waiter attempt after $announcements announcements (told: $told, subscribed: $subscribed)',
    async ({ subscribed, told, announcements }) => {
      const bench = new WaitQueueBench();
      if (!subscribed) bench.pubSub.answer = () => new Promise(() => {});
      await bench.sleeping('a');
      const { length } = bench.attempts.sent;
      bench.queue.beforeRelease();
      bench.queue.afterRelease(released(told));
      for (let passed = 0; passed < announcements; passed += 1) {
        await bench.clock.advance(0);
        expect(bench.attempts.sent).toHaveLength(length);
        bench.pubSub.announce();
      }
      await bench.clock.advance(0);
      expect(bench.attempts.sent).toHaveLength(length + 1);
    },
  );

  it('lets the next waiter attempt after 1 ms if peers do nothing', async () => {
    const bench = new WaitQueueBench();
    await bench.sleeping('a');
    bench.queue.beforeRelease();
    bench.queue.afterRelease(released(3));
    await expect(bench.attemptsIn(4)).resolves.toEqual([1]);
  });

  it.each([
    { announced: 'before the attempt', instants: [] },
    { announced: 'before its reply', instants: [0] },
  ])(
    'lets the next waiter attempt at $instants ms after a grant if a peer released $announced, in turns that were left',
    async ({ announced, instants }) => {
      const bench = new WaitQueueBench();
      await bench.sleeping('a', 'b');
      bench.queue.beforeRelease();
      bench.queue.afterRelease(released(4));
      bench.pubSub.announce();
      if (announced === 'before the attempt') bench.pubSub.announce();
      await bench.clock.advance(1);
      const attempt = await bench.attempt();
      // The attempt may have acquired the lock already, and the announcement is that of a forced release of it.
      if (announced === 'before its reply') bench.pubSub.announce();
      attempt.grant(1);
      await expect(bench.attemptsIn(10)).resolves.toEqual(instants);
      expect(bench.ends).toEqual(['a: granted 1']);
    },
  );

  it.each([
    { wait: 49, instants: [0] },
    { wait: 50, instants: [1] },
  ])('yields to peers unless a waiter comes that waits for less than 50 ms: $wait ms', async ({ wait, instants }) => {
    const bench = new WaitQueueBench();
    await bench.sleeping('a');
    bench.queue.beforeRelease();
    bench.queue.afterRelease(released(3));
    bench.enter('b', { wait });
    await expect(bench.attemptsIn(10)).resolves.toEqual(instants);
  });

  it('keeps the queue until the yield ends, and the next caller waits for that', async () => {
    const bench = new WaitQueueBench();
    bench.queue.yieldTo(2);
    expect(bench.idle).toBe(0);
    bench.enter('a');
    await bench.clock.advance(0);
    expect(bench.attempts.sent).toEqual([]);
    expect(bench.pubSub.asked).toBe(1);
    bench.pubSub.announce();
    await bench.clock.advance(0);
    expect(bench.attempts.sent).toEqual([]);
    bench.pubSub.announce();
    (await bench.attempt()).grant(1);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: granted 1']);
    expect(bench.isClean).toBe(true);
  });

  it('during a failed attempt causes the next attempt when the yield ends', async () => {
    const bench = new WaitQueueBench();
    await bench.sleeping('a');
    bench.pubSub.announce();
    const attempt = await bench.attempt();
    bench.queue.beforeRelease();
    bench.queue.afterRelease(released(1));
    attempt.busy();
    await expect(bench.attemptsIn(10)).resolves.toEqual([0]);
  });
});

describe('A lease that was shortened', () => {
  const held = (remaining: number) => ({ holder: 'them', remaining });

  it('lets the first waiter ask when it ends', async () => {
    const bench = new WaitQueueBench({ hearsLeases: true });
    await bench.sleeping('a');
    bench.pubSub.announce('1000');
    await expect(bench.attemptsIn(999)).resolves.toEqual([]);
    await expect(bench.attemptsIn(10)).resolves.toHaveLength(1);
  });

  it.each([
    { found: 8000, asksAfter: 1000 },
    { found: 500, asksAfter: 500 },
    { found: -1, asksAfter: 1000 },
  ])(
    'D40: ends the sleep after an attempt that was under way, whose reply of $found ms may be older, if it ends first',
    async ({ found, asksAfter }) => {
      const bench = new WaitQueueBench({ hearsLeases: true });
      await bench.sleeping('a');
      bench.pubSub.announce('0');
      const attempt = await bench.attempt();
      bench.pubSub.announce('1000');
      attempt.busy(held(found));
      await expect(bench.attemptsIn(asksAfter - 1, held(8000))).resolves.toEqual([]);
      await expect(bench.attemptsIn(10, held(8000))).resolves.toHaveLength(1);
    },
  );

  it('D77: does not let a reader sleep for longer than a writer that waits keeps it out', async () => {
    const bench = new WaitQueueBench({ hearsLeases: true });
    await bench.sleeping('a');
    bench.pubSub.announce('0');
    const attempt = await bench.attempt();
    attempt.busy({ next: 'writer', remaining: 1000, isWriter: true });
    await expect(bench.attemptsIn(1)).resolves.toEqual([]);
    // What is left to the readers that hold it.
    bench.pubSub.announce('4000');
    await expect(bench.attemptsIn(998)).resolves.toEqual([]);
    await expect(bench.attemptsIn(10)).resolves.toHaveLength(1);
  });

  it('does not end the sleep after the next attempt, which was sent later', async () => {
    const bench = new WaitQueueBench({ hearsLeases: true });
    await bench.sleeping('a');
    bench.pubSub.announce('0');
    const attempt = await bench.attempt();
    bench.pubSub.announce('1000');
    bench.pubSub.announce('0');
    attempt.busy(held(8000));
    const next = await bench.attempt();
    next.busy(held(3000));
    await expect(bench.attemptsIn(2999, held(8000))).resolves.toEqual([]);
    await expect(bench.attemptsIn(10, held(8000))).resolves.toHaveLength(1);
  });
});
