import type { PubSub } from '../../lib/backend/pubsub.js';
import { released } from './released.js';
import { LockQueueFullError, LockTimeoutError, LockUnavailableError } from '../../lib/errors.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import { QueuedAcquirer } from '../../lib/waiting/queued-acquirer.js';
import { CountedAttempts, type SentAttempt, type Taken } from './counted-attempts.js';

describe('The waiters of a queued acquirer', () => {
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

  const open = (attempts: CountedAttempts, { maxQueue = 10_000 } = {}) => {
    const acquirer = new QueuedAcquirer(
      attempts,
      { pubSub, scheduler, polling, commandTimeout: 1000, maxQueue },
      () => 'channel',
    );
    const acquire = (wanted: number, wait = Number.POSITIVE_INFINITY): Promise<Taken> =>
      acquirer.acquire(
        { what: 'Thing', name: 'n', template: undefined, limit: new WaitLimit(scheduler, wait, []) },
        wanted,
        (taken) => taken,
      );
    return { acquirer, acquire };
  };

  /** Takes the oldest attempt in flight, and fails if there is none. */
  const nextAttempt = async (attempts: CountedAttempts): Promise<SentAttempt> => {
    await clock.advance(0);
    const next = attempts.unanswered.shift();
    if (!next) throw new Error('No attempt is in flight');
    return next;
  };

  /** Answers attempts with this number of permits until none is in flight. */
  const findOnly = async (attempts: CountedAttempts, available: number): Promise<void> => {
    for (await clock.advance(0); attempts.unanswered.length > 0; await clock.advance(0)) {
      attempts.unanswered.shift()?.found(available);
    }
  };

  const isSettled = async (waiting: Promise<unknown>): Promise<boolean> =>
    Promise.race([waiting.then(() => true), clock.advance(0).then(() => false)]);

  it('are attempted for at once if they want no more than an attempt found, also those passed over before', async () => {
    const attempts = new CountedAttempts();
    const { acquire } = open(attempts);
    const many = acquire(5);
    await findOnly(attempts, 0);
    const few = acquire(1);
    const before = attempts.asked;
    for (const listener of listeners) listener();
    (await nextAttempt(attempts)).found(2);
    const second = await nextAttempt(attempts);
    expect(second.wanted).toBe(1);
    // Six permits were released meanwhile, and the announcement was lost.
    second.taken(7);
    await expect(few).resolves.toEqual({ left: 7 });
    const third = await nextAttempt(attempts);
    expect(third.wanted).toBe(5);
    third.taken(2);
    await expect(many).resolves.toEqual({ left: 2 });
    expect(attempts.asked).toBe(before + 3);
  });

  it('are served in order of arrival if they want the same', async () => {
    const attempts = new CountedAttempts();
    const { acquire } = open(attempts);
    const served: number[] = [];
    const waits = [1, 2, 3].map((who) => acquire(1).then(() => served.push(who)));
    await findOnly(attempts, 0);
    for (const listener of listeners) listener();
    for (const left of [2, 1, 0]) (await nextAttempt(attempts)).taken(left);
    await Promise.all(waits);
    expect(served).toEqual([1, 2, 3]);
    expect(listeners.size).toBe(0);
  });

  it('cost the server no more than one waiter, even if there are a thousand', async () => {
    const attempts = new CountedAttempts();
    const { acquire } = open(attempts);
    const waits = Array.from({ length: 1000 }, () => acquire(1, 60_000).catch((error: unknown) => error));
    // One attempt at once and one after the subscription. The polls follow every five seconds.
    await findOnly(attempts, 0);
    expect(attempts.asked).toBe(2);
    for (let polls = 1; polls <= 3; polls++) {
      await clock.advance(polling.subscribed);
      await findOnly(attempts, 0);
      expect(attempts.asked).toBe(2 + polls);
    }
    expect(subscriptions).toBe(1);
    await clock.advance(60_000);
    while (attempts.unanswered.length > 0) await findOnly(attempts, 0);
    for (const error of await Promise.all(waits)) expect(error).toBeInstanceOf(LockTimeoutError);
    expect(listeners.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('all get a shared result, also those whose wait ends while the attempt is in flight', async () => {
    const attempts = new CountedAttempts(true);
    const { acquire } = open(attempts);
    const first = acquire(0);
    await findOnly(attempts, 0);
    const brief = acquire(0, 5);
    const look = await nextAttempt(attempts);
    await clock.advance(10);
    look.taken(0);
    await expect(Promise.all([first, brief])).resolves.toEqual([{ left: 0 }, { left: 0 }]);
  });

  it('are rejected with what the attempt found if their wait ends while it is in flight', async () => {
    const attempts = new CountedAttempts(true);
    const { acquire } = open(attempts);
    const first = acquire(0);
    await findOnly(attempts, 0);
    const brief = acquire(0, 5);
    const look = await nextAttempt(attempts);
    await clock.advance(10);
    look.found(0);
    await expect(brief).rejects.toBeInstanceOf(LockTimeoutError);
    await expect(isSettled(first)).resolves.toBe(false);
  });

  it('do not shorten the pause after an attempt without an answer, however many come', async () => {
    for (const isShared of [false, true]) {
      const attempts = new CountedAttempts(isShared);
      const { acquire } = open(attempts);
      void acquire(1);
      await findOnly(attempts, 0);
      for (const listener of listeners) listener();
      (await nextAttempt(attempts)).failed(new LockUnavailableError('OOM', 'refused', false));
      await clock.advance(0);
      const { asked } = attempts;
      for (let newcomer = 0; newcomer < 20; newcomer++) {
        void acquire(1);
        await clock.advance(1);
      }
      expect(attempts.asked).toBe(asked);
      await clock.advance(150);
      expect(attempts.asked).toBe(asked + 1);
    }
  });

  it('end a yield to other processes as soon as one comes with too short a wait for it', async () => {
    const attempts = new CountedAttempts();
    const { acquirer, acquire } = open(attempts);
    void acquire(1);
    await findOnly(attempts, 0);
    const { asked } = attempts;
    acquirer.beforeRelease('n');
    acquirer.afterRelease('n', released(3));
    await clock.advance(0);
    expect(attempts.asked).toBe(asked);
    void acquire(1, 20).catch(() => {});
    await clock.advance(0);
    expect(attempts.asked).toBe(asked + 1);
  });

  it('attempt no more than twice while a peer keeps what it acquired during a yield', async () => {
    const attempts = new CountedAttempts();
    const { acquirer, acquire } = open(attempts);
    void acquire(1);
    await findOnly(attempts, 0);
    const { asked } = attempts;
    acquirer.beforeRelease('n');
    acquirer.afterRelease('n', released(3));
    for (let passed = 0; passed < 100; passed++) {
      await clock.advance(1);
      await findOnly(attempts, 0);
    }
    expect(attempts.asked).toBeLessThanOrEqual(asked + 2);
  });

  it('are handed nothing while the first attempt of an earlier caller is in flight', async () => {
    const attempts = new CountedAttempts();
    const { acquirer, acquire } = open(attempts);
    const served: string[] = [];
    void acquire(1).then(() => served.push('first'));
    void acquire(1).then(() => served.push('second'));
    const firstAttempt = await nextAttempt(attempts);
    expect(acquirer.handOver('n', { left: 0 })).toBe(false);
    firstAttempt.found(0);
    await clock.advance(0);
    expect(acquirer.handOver('n', { left: 0 })).toBe(true);
    await clock.advance(0);
    expect(served).toEqual(['first']);
  });

  it('may fill the queue again once a first attempt has ended', async () => {
    const attempts = new CountedAttempts();
    const { acquirer, acquire } = open(attempts, { maxQueue: 1 });
    const first = acquire(1);
    const firstAttempt = await nextAttempt(attempts);
    await expect(acquire(1)).rejects.toBeInstanceOf(LockQueueFullError);
    // The queue stays for a moment, because other processes were notified of a release.
    acquirer.afterRelease('n', released(1));
    firstAttempt.taken(0);
    await first;
    await expect(isSettled(acquire(1))).resolves.toBe(false);
  });

  it('are rejected with what the first attempt of another caller found if their wait ends during it', async () => {
    for (const unavailable of [true, false]) {
      const attempts = new CountedAttempts();
      const { acquire } = open(attempts);
      void acquire(1);
      const brief = acquire(1, 60).catch((error: unknown) => error);
      const firstAttempt = await nextAttempt(attempts);
      await clock.advance(100);
      if (unavailable) firstAttempt.failed(new LockUnavailableError('No reply', 'unknown', false));
      else firstAttempt.found(0);
      await expect(brief).resolves.toBeInstanceOf(unavailable ? LockUnavailableError : LockTimeoutError);
    }
  });

  it('are attempted for at once if the first attempt of another caller leaves enough, subscribed or not', async () => {
    const unavailable = new LockUnavailableError('No permission', 'refused', false);
    pubSub = { subscribe: () => Promise.reject(unavailable) };
    const attempts = new CountedAttempts();
    const { acquire } = open(attempts);
    void acquire(1);
    void acquire(2);
    (await nextAttempt(attempts)).taken(3);
    expect((await nextAttempt(attempts)).wanted).toBe(2);
  });

  it('leave nothing behind if the queue fails during a yield', async () => {
    let refuse = (_error: Error): void => {};
    pubSub = { subscribe: () => new Promise((_resolve, reject) => void (refuse = reject)) };
    const attempts = new CountedAttempts();
    const { acquirer, acquire } = open(attempts);
    const waits = [acquire(1), acquire(1)].map((wait) => wait.catch((error: unknown) => error));
    (await nextAttempt(attempts)).found(0);
    await clock.advance(polling.subscribed);
    const inFlight = await nextAttempt(attempts);
    acquirer.beforeRelease('n');
    const broken = new Error('Broken');
    refuse(broken);
    await expect(Promise.all(waits)).resolves.toEqual([broken, broken]);
    inFlight.taken(0);
    await clock.advance(10);
    expect(attempts.undone).toEqual([{ left: 0 }]);
    expect(acquirer.contended).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('leave no permits taken if all were aborted before the reply', async () => {
    const attempts = new CountedAttempts();
    const acquirer = new QueuedAcquirer(
      attempts,
      { pubSub, scheduler, polling, commandTimeout: 1000, maxQueue: 10_000 },
      () => 'channel',
    );
    const abort = new AbortController();
    const limit = new WaitLimit(scheduler, Number.POSITIVE_INFINITY, [abort.signal]);
    const waiting = acquirer.acquire({ what: 'Thing', name: 'n', template: undefined, limit }, 1, (taken) => taken);
    const asked = await nextAttempt(attempts);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    asked.taken(3);
    await clock.advance(0);
    expect(attempts.undone).toEqual([{ left: 3 }]);
    expect(acquirer.contended).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
