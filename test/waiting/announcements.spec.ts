import { ManualClock } from '../../lib/testing/manual-clock.js';
import { released } from './released.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import { QueuedAcquirer } from '../../lib/waiting/queued-acquirer.js';
import type { Busy, AttemptStrategy } from '../../lib/waiting/attempt-strategy.js';
import { MemoryWorld } from '../kit/memory-world.js';

const POLLING = { subscribed: 5000, unsubscribed: 1000 };

type Thing = { readonly permits: number };

/** Attempts that see the state of the server when they are executed. The test decides when the replies come. */
class DelayedAttempts implements AttemptStrategy<number, Thing> {
  private readonly replies: (() => void)[] = [];
  asked = 0;

  /** @param outcomeAfterGrant The outcome that the next waiter assumes after a grant. */
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

  /** Delivers the reply to the oldest attempt. */
  reply(): void {
    const next = this.replies.shift();
    if (!next) throw new Error('Nobody attempts');
    next();
  }

  get inFlight(): number {
    return this.replies.length;
  }
}

const untilMessage = { available: 0, remaining: -1 };
/** The outcome that the next waiter assumes after a grant, for each kind of attempts. */
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

  const open = (attempts: DelayedAttempts) => {
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
    const acquirer = new QueuedAcquirer(
      attempts,
      { pubSub, scheduler, polling: POLLING, commandTimeout: 1000, maxQueue: 100 },
      () => 'channel',
    );
    const acquire = (wait = 1000, signals: readonly AbortSignal[] = []): Promise<string> => {
      const limit = new WaitLimit(scheduler, wait, signals);
      return acquirer
        .acquire({ what: 'Thing', name: 'n', template: undefined, limit }, 1, () => 'served')
        .catch((error: unknown) => (error instanceof Error ? error.name : 'unknown'));
    };
    return { acquirer, acquire };
  };

  /** Replies to all attempts until the acquirer sleeps. */
  const settle = async (attempts: DelayedAttempts): Promise<void> => {
    for (await clock.advance(0); attempts.inFlight > 0; await clock.advance(0)) attempts.reply();
  };

  /** The current states of the waits. The clock moves by 10 ms only. */
  const endsOf = (waits: readonly Promise<string>[]): Promise<readonly string[]> => {
    const asleep = clock.advance(10).then(() => 'asleep');
    return Promise.all(waits.map((wait) => Promise.race([wait, asleep])));
  };

  /** Two waiters that a release has woken. The attempt for the first one has been executed, and has no answer yet. */
  const attemptInFlight = async (attempts: DelayedAttempts) => {
    const { acquirer, acquire } = open(attempts);
    const waits = [acquire(), acquire()];
    await settle(attempts);
    attempts.available += 1;
    announce();
    await clock.advance(0);
    expect(attempts.inFlight).toBe(1);
    return { acquirer, waits };
  };

  it.each(KINDS)(
    'D2: that comes before the reply to a successful attempt for $kind wakes the next',
    async ({ after }) => {
      const attempts = new DelayedAttempts(0, after);
      const { waits } = await attemptInFlight(attempts);
      attempts.available += 1;
      announce();
      await settle(attempts);
      await expect(endsOf(waits)).resolves.toEqual(['served', 'served']);
    },
  );

  it.each(KINDS)('D2: that comes before the reply to a vain attempt for $kind wakes the same', async ({ after }) => {
    const attempts = new DelayedAttempts(0, after);
    const { acquire } = open(attempts);
    const waiting = acquire();
    await settle(attempts);
    announce();
    await clock.advance(0);
    expect(attempts.inFlight).toBe(1);
    attempts.available += 1;
    announce();
    await settle(attempts);
    await expect(endsOf([waiting])).resolves.toEqual(['served']);
  });

  it.each([false, true])(
    'D2: that a latch has opened lets through a waiter that came during an attempt that found it open: %s',
    async (isOpen) => {
      const attempts = new DelayedAttempts(0, () => undefined, true);
      const { acquire } = open(attempts);
      const first = acquire();
      await settle(attempts);
      if (isOpen) attempts.available = 1;
      announce();
      await clock.advance(0);
      // The latch is set and opened again while the attempt is in flight.
      attempts.available = 0;
      const second = acquire();
      attempts.available = 1;
      announce();
      await settle(attempts);
      await expect(endsOf([first, second])).resolves.toEqual(['served', 'served']);
    },
  );

  it('D2: of the release that made an attempt succeed costs no vain attempt', async () => {
    const attempts = new DelayedAttempts(0, () => ({ holder: 'us', remaining: 30_000 }));
    const { acquirer, acquire } = open(attempts);
    const waits = [acquire(), acquire()];
    await settle(attempts);
    // No peer received the last release, so the next attempt follows the release at once.
    acquirer.beforeRelease('n');
    acquirer.afterRelease('n', released(1));
    announce();
    await settle(attempts);
    acquirer.beforeRelease('n');
    attempts.available += 1;
    await clock.advance(0);
    const { asked } = attempts;
    announce();
    await settle(attempts);
    await expect(endsOf(waits)).resolves.toEqual(['served', 'asleep']);
    expect(attempts.asked).toBe(asked);
    // Our own announcement has arrived, so this one is that of a forced release.
    attempts.available += 1;
    announce();
    await settle(attempts);
    await expect(endsOf(waits)).resolves.toEqual(['served', 'served']);
  });

  it('D2: costs no vain attempt if the next release is sent before it arrives', async () => {
    const attempts = new DelayedAttempts(0, () => ({ holder: 'us', remaining: 30_000 }));
    const { acquirer, acquire } = open(attempts);
    const waits = [acquire(), acquire(), acquire()];
    await settle(attempts);
    acquirer.beforeRelease('n');
    acquirer.afterRelease('n', released(1));
    await settle(attempts);
    announce();
    await settle(attempts);
    // The permit of the first release is taken and released again before the first announcement comes.
    acquirer.beforeRelease('n');
    attempts.available += 1;
    await settle(attempts);
    acquirer.beforeRelease('n');
    attempts.available += 1;
    await clock.advance(0);
    const { asked } = attempts;
    announce();
    announce();
    await settle(attempts);
    await expect(endsOf(waits)).resolves.toEqual(['served', 'served', 'asleep']);
    expect(attempts.asked).toBe(asked);
  });

  it('D2: that comes soon after a release that no client received is taken for that of a peer', async () => {
    const attempts = new DelayedAttempts(0, () => untilMessage);
    const { acquirer, acquire } = open(attempts);
    const waits = [acquire(), acquire()];
    await settle(attempts);
    acquirer.beforeRelease('n');
    acquirer.afterRelease('n', released(0));
    attempts.available += 1;
    await clock.advance(0);
    attempts.available += 1;
    announce();
    await settle(attempts);
    await expect(endsOf(waits)).resolves.toEqual(['served', 'served']);
  });

  it('D2: is not needed by the next waiter if the one before it leaves during its attempt', async () => {
    const attempts = new DelayedAttempts(0, () => untilMessage);
    const { acquire } = open(attempts);
    const abort = new AbortController();
    const first = acquire(1000, [abort.signal]);
    const second = acquire();
    await settle(attempts);
    attempts.available = 1;
    announce();
    await clock.advance(0);
    abort.abort();
    await settle(attempts);
    await expect(endsOf([first, second])).resolves.toEqual(['LockAbortedError', 'served']);
  });
});

describe('Two releases of a semaphore', () => {
  const world = new MemoryWorld();
  afterEach(() => world.reset());

  it('D2: serve two waiters, however close the second comes to the attempt that the first has caused', async () => {
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
