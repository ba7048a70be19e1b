import type { PubSub } from '../../lib/backend/lock-backend.js';
import { LockQueueFullError, LockTimeoutError, LockUnavailableError } from '../../lib/errors.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import { QueuedAcquirer } from '../../lib/waiting/queued-acquirer.js';
import { AskedTries, type Question, type Taken } from './asked-tries.js';

describe('A line', () => {
  const polling = { subscribed: 5000, unsubscribed: 1000 };
  let clock: ManualClock;
  let scheduler: MonotonicScheduler;
  let listeners: Set<() => void>;
  let subscriptions: number;
  let pubSub: PubSub;

  beforeEach(() => {
    clock = new ManualClock();
    scheduler = new MonotonicScheduler(clock, () => {});
    listeners = new Set();
    subscriptions = 0;
    pubSub = {
      subscribe: async (_channel, listener) => {
        subscriptions += 1;
        listeners.add(listener);
        return { alive: true, cancel: () => void listeners.delete(listener) };
      },
    };
  });

  const lineOf = (tries: AskedTries, { maxQueue = 10_000 } = {}) => {
    const line = new QueuedAcquirer(tries, { pubSub, scheduler, polling, maxQueue }, () => 'channel');
    const acquire = (wanted: number, wait = Number.POSITIVE_INFINITY): Promise<Taken> =>
      line.acquire(
        { what: 'Thing', name: 'n', template: undefined, limit: new WaitLimit(scheduler, wait, []) },
        wanted,
      );
    return { line, acquire };
  };

  const open = (tries: AskedTries) => lineOf(tries).acquire;

  /** The next try, which has to be on its way. */
  const question = async (tries: AskedTries): Promise<Question> => {
    await clock.advance(0);
    const next = tries.questions.shift();
    if (!next) throw new Error('Nobody tries');
    return next;
  };

  /** Answers until the line sleeps. */
  const findOnly = async (tries: AskedTries, available: number): Promise<void> => {
    for (await clock.advance(0); tries.questions.length > 0; await clock.advance(0)) {
      tries.questions.shift()?.found(available);
    }
  };

  const isSettled = async (waiting: Promise<unknown>): Promise<boolean> =>
    Promise.race([waiting.then(() => true), clock.advance(0).then(() => false)]);

  it('attempts at once for each waiter that the last result may satisfy, also for skipped ones', async () => {
    const tries = new AskedTries();
    const acquire = open(tries);
    const many = acquire(5);
    await findOnly(tries, 0);
    const few = acquire(1);
    const before = tries.asked;
    for (const listener of listeners) listener();
    (await question(tries)).found(2);
    const second = await question(tries);
    expect(second.wanted).toBe(1);
    // Somebody has released six meanwhile, and what was said of that got lost.
    second.taken(7);
    await expect(few).resolves.toEqual({ left: 7 });
    const third = await question(tries);
    expect(third.wanted).toBe(5);
    third.taken(2);
    await expect(many).resolves.toEqual({ left: 2 });
    expect(tries.asked).toBe(before + 3);
  });

  it('serves equal requests in the order of arrival', async () => {
    const tries = new AskedTries();
    const acquire = open(tries);
    const served: number[] = [];
    const waits = [1, 2, 3].map((who) => acquire(1).then(() => served.push(who)));
    await findOnly(tries, 0);
    for (const listener of listeners) listener();
    for (const left of [2, 1, 0]) (await question(tries)).taken(left);
    await Promise.all(waits);
    expect(served).toEqual([1, 2, 3]);
    expect(listeners.size).toBe(0);
  });

  it('of a thousand costs no more than one', async () => {
    const tries = new AskedTries();
    const acquire = open(tries);
    const waits = Array.from({ length: 1000 }, () => acquire(1, 60_000).catch((error: unknown) => error));
    // At once, when it listens, and every five seconds.
    await findOnly(tries, 0);
    expect(tries.asked).toBe(2);
    for (let polls = 1; polls <= 3; polls++) {
      await clock.advance(polling.subscribed);
      await findOnly(tries, 0);
      expect(tries.asked).toBe(2 + polls);
    }
    expect(subscriptions).toBe(1);
    await clock.advance(60_000);
    while (tries.questions.length > 0) await findOnly(tries, 0);
    for (const error of await Promise.all(waits)) expect(error).toBeInstanceOf(LockTimeoutError);
    expect(listeners.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('grants the result of one attempt to all, also to a waiter whose wait ends during it', async () => {
    const tries = new AskedTries(true);
    const acquire = open(tries);
    const first = acquire(0);
    await findOnly(tries, 0);
    const brief = acquire(0, 5);
    const look = await question(tries);
    await clock.advance(10);
    look.taken(0);
    await expect(Promise.all([first, brief])).resolves.toEqual([{ left: 0 }, { left: 0 }]);
  });

  it('rejects a waiter whose wait ends during an attempt with its result', async () => {
    const tries = new AskedTries(true);
    const acquire = open(tries);
    const first = acquire(0);
    await findOnly(tries, 0);
    const brief = acquire(0, 5);
    const look = await question(tries);
    await clock.advance(10);
    look.found(0);
    await expect(brief).rejects.toBeInstanceOf(LockTimeoutError);
    await expect(isSettled(first)).resolves.toBe(false);
  });

  it('does not attempt sooner after a failed attempt, however many come', async () => {
    for (const isShared of [false, true]) {
      const tries = new AskedTries(isShared);
      const acquire = open(tries);
      void acquire(1);
      await findOnly(tries, 0);
      for (const listener of listeners) listener();
      (await question(tries)).failed(new LockUnavailableError('OOM', 'refused', false));
      await clock.advance(0);
      const { asked } = tries;
      for (let newcomer = 0; newcomer < 20; newcomer++) {
        void acquire(1);
        await clock.advance(1);
      }
      expect(tries.asked).toBe(asked);
      await clock.advance(150);
      expect(tries.asked).toBe(asked + 1);
    }
  });

  it('ends a yield as soon as a waiter comes that cannot yield', async () => {
    const tries = new AskedTries();
    const { line, acquire } = lineOf(tries);
    void acquire(1);
    await findOnly(tries, 0);
    const { asked } = tries;
    line.beforeRelease('n');
    line.afterRelease('n', 3);
    await clock.advance(0);
    expect(tries.asked).toBe(asked);
    void acquire(1, 20).catch(() => {});
    await clock.advance(0);
    expect(tries.asked).toBe(asked + 1);
  });

  it('attempts at most twice while a peer keeps the lock', async () => {
    const tries = new AskedTries();
    const { line, acquire } = lineOf(tries);
    void acquire(1);
    await findOnly(tries, 0);
    const { asked } = tries;
    line.beforeRelease('n');
    line.afterRelease('n', 3);
    for (let passed = 0; passed < 100; passed++) {
      await clock.advance(1);
      await findOnly(tries, 0);
    }
    expect(tries.asked).toBeLessThanOrEqual(asked + 2);
  });

  it('hands nothing over to a waiter that came after the first attempt in flight', async () => {
    const tries = new AskedTries();
    const { line, acquire } = lineOf(tries);
    const served: string[] = [];
    void acquire(1).then(() => served.push('first'));
    void acquire(1).then(() => served.push('second'));
    const opening = await question(tries);
    expect(line.handOver('n', { left: 0 })).toBe(false);
    opening.found(0);
    await clock.advance(0);
    expect(line.handOver('n', { left: 0 })).toBe(true);
    await clock.advance(0);
    expect(served).toEqual(['first']);
  });

  it('keeps no entry for a finished first attempt', async () => {
    const tries = new AskedTries();
    const { line, acquire } = lineOf(tries, { maxQueue: 1 });
    const first = acquire(1);
    const opening = await question(tries);
    await expect(acquire(1)).rejects.toBeInstanceOf(LockQueueFullError);
    // The line stays for a moment, since others were told of a release.
    line.afterRelease('n', 1);
    opening.taken(0);
    await first;
    await expect(isSettled(acquire(1))).resolves.toBe(false);
  });

  it('rejects a waiter whose wait ends during the first attempt of another with its result', async () => {
    for (const unavailable of [true, false]) {
      const tries = new AskedTries();
      const { acquire } = lineOf(tries);
      void acquire(1);
      const brief = acquire(1, 60).catch((error: unknown) => error);
      const opening = await question(tries);
      await clock.advance(100);
      if (unavailable) opening.failed(new LockUnavailableError('No reply', 'unknown', false));
      else opening.found(0);
      await expect(brief).resolves.toBeInstanceOf(unavailable ? LockUnavailableError : LockTimeoutError);
    }
  });

  it('attempts at once for a waiter that the first attempt of another leaves enough, also without a subscription', async () => {
    const unavailable = new LockUnavailableError('No permission', 'refused', false);
    pubSub = { subscribe: () => Promise.reject(unavailable) };
    const tries = new AskedTries();
    const { acquire } = lineOf(tries);
    void acquire(1);
    void acquire(2);
    (await question(tries)).taken(3);
    expect((await question(tries)).wanted).toBe(2);
  });

  it('leaves nothing behind when it fails during a yield', async () => {
    let refuse = (_error: Error): void => {};
    pubSub = { subscribe: () => new Promise((_resolve, reject) => void (refuse = reject)) };
    const tries = new AskedTries();
    const { line, acquire } = lineOf(tries);
    const waits = [acquire(1), acquire(1)].map((wait) => wait.catch((error: unknown) => error));
    (await question(tries)).found(0);
    await clock.advance(polling.unsubscribed);
    const underWay = await question(tries);
    line.beforeRelease('n');
    const broken = new Error('Broken');
    refuse(broken);
    await expect(Promise.all(waits)).resolves.toEqual([broken, broken]);
    underWay.taken(0);
    await clock.advance(10);
    expect(tries.givenBack).toEqual([{ left: 0 }]);
    expect(line.contended).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('releases an unwanted grant silently', async () => {
    const tries = new AskedTries();
    const line = new QueuedAcquirer(tries, { pubSub, scheduler, polling, maxQueue: 10_000 }, () => 'channel');
    const abort = new AbortController();
    const limit = new WaitLimit(scheduler, Number.POSITIVE_INFINITY, [abort.signal]);
    const waiting = line.acquire({ what: 'Thing', name: 'n', template: undefined, limit }, 1);
    const asked = await question(tries);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    asked.taken(3);
    await clock.advance(0);
    expect(tries.givenBack).toEqual([{ left: 3 }]);
    expect(line.contended).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
