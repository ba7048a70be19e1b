import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import { QueuedAcquirer } from '../../lib/waiting/queued-acquirer.js';
import type { Busy, AttemptStrategy } from '../../lib/waiting/attempt-strategy.js';
import { MemoryWorld } from '../kit/memory-world.js';

const POLLING = { subscribed: 5000, unsubscribed: 1000 };

type Thing = { readonly permits: number };

/** What the server has of something when a try is executed; the test says when the reply comes. */
class HeldBackTries implements AttemptStrategy<number, Thing> {
  private readonly replies: (() => void)[] = [];
  asked = 0;

  /** @param outcomeAfterGrant What the next in line finds after a grant. */
  constructor(
    public available: number,
    readonly outcomeAfterGrant: (got: Thing) => Busy | undefined,
    readonly isShared = false,
  ) {}

  attempt(_name: string, permits: number): Promise<{ readonly got: Thing } | Busy> {
    this.asked += 1;
    const isThere = permits <= this.available;
    if (isThere && !this.isShared) this.available -= permits;
    const reply = isThere ? { got: { permits } } : { available: this.available, remaining: -1 };
    return new Promise((resolve) => this.replies.push(() => resolve(reply)));
  }

  undo(_name: string, { permits }: Thing): void {
    this.available += permits;
  }

  transfer(): undefined {}

  async settled(): Promise<void> {}

  /** Lets the reply to the oldest try through. */
  reply(): void {
    const next = this.replies.shift();
    if (!next) throw new Error('Nobody tries');
    next();
  }

  get underWay(): number {
    return this.replies.length;
  }
}

const untilMessage = { available: 0, remaining: -1 };
/** How the next in line goes on after a grant, for each kind of tries. */
const KINDS = [
  { kind: 'a lock', after: (): Busy => ({ holder: 'us', remaining: 30_000 }) },
  { kind: 'a semaphore', after: (): Busy => untilMessage },
  { kind: 'a permit with an id, or a read', after: (): undefined => undefined },
];

describe('An announcement', () => {
  let clock: ManualClock;
  let scheduler: MonotonicScheduler;
  let announce: () => void;

  beforeEach(() => {
    clock = new ManualClock();
    scheduler = new MonotonicScheduler(clock, () => {});
  });

  const lineOf = (tries: HeldBackTries) => {
    const listeners = new Set<() => void>();
    announce = () => {
      for (const listener of listeners) listener();
    };
    const pubSub = {
      subscribe: async (_channel: string, listener: () => void) => {
        listeners.add(listener);
        return { alive: true, cancel: () => void listeners.delete(listener) };
      },
    };
    const line = new QueuedAcquirer(tries, { pubSub, scheduler, polling: POLLING, maxQueue: 100 }, () => 'channel');
    const acquire = (wait = 1000, signals: readonly AbortSignal[] = []): Promise<string> => {
      const limit = new WaitLimit(scheduler, wait, signals);
      return line.acquire({ what: 'Thing', name: 'n', template: undefined, limit }, 1).then(
        () => 'served',
        (error: unknown) => (error instanceof Error ? error.name : 'unknown'),
      );
    };
    return { line, acquire };
  };

  /** Replies to everything until the line sleeps. */
  const settle = async (tries: HeldBackTries): Promise<void> => {
    for (await clock.advance(0); tries.underWay > 0; await clock.advance(0)) tries.reply();
  };

  /** What has become of waits by now, the clock all but standing still. */
  const endsOf = (waits: readonly Promise<string>[]): Promise<readonly string[]> => {
    const asleep = clock.advance(10).then(() => 'asleep');
    return Promise.all(waits.map((wait) => Promise.race([wait, asleep])));
  };

  /** Two wait, one release has woken them, and the try for the first has been executed but not answered. */
  const tryUnderWay = async (tries: HeldBackTries) => {
    const { line, acquire } = lineOf(tries);
    const waits = [acquire(), acquire()];
    await settle(tries);
    tries.available += 1;
    announce();
    await clock.advance(0);
    expect(tries.underWay).toBe(1);
    return { line, waits };
  };

  it.each(KINDS)(
    'D2: that comes before the reply to a successful attempt for $kind wakes the next',
    async ({ after }) => {
      const tries = new HeldBackTries(0, after);
      const { waits } = await tryUnderWay(tries);
      tries.available += 1;
      announce();
      await settle(tries);
      await expect(endsOf(waits)).resolves.toEqual(['served', 'served']);
    },
  );

  it.each(KINDS)(
    'D2: that comes before the reply to a failed attempt for $kind wakes the same waiter',
    async ({ after }) => {
      const tries = new HeldBackTries(0, after);
      const { acquire } = lineOf(tries);
      const waiting = acquire();
      await settle(tries);
      announce();
      await clock.advance(0);
      expect(tries.underWay).toBe(1);
      tries.available += 1;
      announce();
      await settle(tries);
      await expect(endsOf([waiting])).resolves.toEqual(['served']);
    },
  );

  it.each([false, true])(
    'D2: that a latch has opened lets a waiter through that came during an attempt: %s',
    async (isOpen) => {
      const tries = new HeldBackTries(0, () => undefined, true);
      const { acquire } = lineOf(tries);
      const first = acquire();
      await settle(tries);
      if (isOpen) tries.available = 1;
      announce();
      await clock.advance(0);
      // It is set again, and opened again, while the look is on its way.
      tries.available = 0;
      const second = acquire();
      tries.available = 1;
      announce();
      await settle(tries);
      await expect(endsOf([first, second])).resolves.toEqual(['served', 'served']);
    },
  );

  it('D2: of the release that made an attempt succeed causes no further attempt', async () => {
    const tries = new HeldBackTries(0, () => ({ holder: 'us', remaining: 30_000 }));
    const { line, acquire } = lineOf(tries);
    const waits = [acquire(), acquire()];
    await settle(tries);
    // Nobody else was told of the last release, so the next try leaves right behind the release.
    line.beforeRelease('n');
    line.afterRelease('n', 1);
    announce();
    await settle(tries);
    line.beforeRelease('n');
    tries.available += 1;
    await clock.advance(0);
    const { asked } = tries;
    announce();
    await settle(tries);
    await expect(endsOf(waits)).resolves.toEqual(['served', 'asleep']);
    expect(tries.asked).toBe(asked);
    // One of our own is all there is to be heard of our own: this one is of somebody who ended what we had got.
    tries.available += 1;
    announce();
    await settle(tries);
    await expect(endsOf(waits)).resolves.toEqual(['served', 'served']);
  });

  it('D2: causes no further attempt if the next release is sent before it comes', async () => {
    const tries = new HeldBackTries(0, () => ({ holder: 'us', remaining: 30_000 }));
    const { line, acquire } = lineOf(tries);
    const waits = [acquire(), acquire(), acquire()];
    await settle(tries);
    line.beforeRelease('n');
    line.afterRelease('n', 1);
    await settle(tries);
    announce();
    await settle(tries);
    // What the first release makes possible is used and released again before the first announcement comes.
    line.beforeRelease('n');
    tries.available += 1;
    await settle(tries);
    line.beforeRelease('n');
    tries.available += 1;
    await clock.advance(0);
    const { asked } = tries;
    announce();
    announce();
    await settle(tries);
    await expect(endsOf(waits)).resolves.toEqual(['served', 'served', 'asleep']);
    expect(tries.asked).toBe(asked);
  });

  it('D2: that comes soon after a release without listeners is not ignored', async () => {
    const tries = new HeldBackTries(0, () => untilMessage);
    const { line, acquire } = lineOf(tries);
    const waits = [acquire(), acquire()];
    await settle(tries);
    line.beforeRelease('n');
    line.afterRelease('n', 0);
    tries.available += 1;
    await clock.advance(0);
    tries.available += 1;
    announce();
    await settle(tries);
    await expect(endsOf(waits)).resolves.toEqual(['served', 'served']);
  });

  it('D2: is not needed by the next waiter if the one before it leaves during its attempt', async () => {
    const tries = new HeldBackTries(0, () => untilMessage);
    const { acquire } = lineOf(tries);
    const abort = new AbortController();
    const first = acquire(1000, [abort.signal]);
    const second = acquire();
    await settle(tries);
    tries.available = 1;
    announce();
    await clock.advance(0);
    abort.abort();
    await settle(tries);
    await expect(endsOf([first, second])).resolves.toEqual(['LockAbortedError', 'served']);
  });
});

describe('Two releases of a semaphore', () => {
  const world = new MemoryWorld();
  afterEach(() => world.reset());

  it('D2: serve two waiters, however close the second is to the attempt caused by the first', async () => {
    const [waiter, releaser] = [await world.open(), await world.open()];
    for (let distance = 0; distance < 40; distance += 1) {
      const name = `s:${distance}`;
      const semaphore = waiter.locks.getSemaphore(name);
      await semaphore.trySetPermits(0);
      const waits = Promise.all([1, 2].map(() => semaphore.acquire(1, { wait: '1s' })));
      await world.time.pass(5);
      const release = async (): Promise<void> => releaser.locks.getSemaphore(name).release();
      const releases = [release()];
      for (let turn = 0; turn < distance; turn += 1) await Promise.resolve();
      releases.push(release());
      await Promise.all(releases);
      await expect(world.time.finish(waits, 50)).resolves.toHaveLength(2);
    }
  });
});
