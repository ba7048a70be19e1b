import type { LockBackend } from '../../lib/backend/lock-backend.js';
import { memoryBackend } from '../kit/memory-backend.js';
import { type BlockedHold, type HeldLock, textOf } from '../../lib/deadlock/blocked-hold.js';
import { DeadlockWatch } from '../../lib/deadlock/deadlock-watch.js';
import type { WatchedWait } from '../../lib/deadlock/watched-wait.js';
import { LockDeadlockError, LockUnavailableError } from '../../lib/errors.js';
import { type LockEvent, LockEvents } from '../../lib/events/lock-events.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';

const lock = (name: string, owner: string): HeldLock => ({ family: 'exclusive', name, owner });

/** One process, whose caller holds `mine` and waits for `theirs`, in a world whose other process is told what to do. */
class Bench {
  readonly clock = new ManualClock();
  readonly scheduler = new MonotonicScheduler(this.clock, (error) => {
    throw error;
  });
  readonly records = memoryBackend(this.scheduler).blockedHolds;
  readonly events: LockEvent[] = [];
  /** What the server says of each lock. */
  isHeld: (held: HeldLock) => boolean = () => true;
  /** Called when the server is asked. */
  onAsked: () => void | Promise<void> = () => {};
  asked = 0;
  readonly watch: DeadlockWatch;
  ended: unknown;
  held: readonly HeldLock[] = [lock('mine', 'us:1')];
  readonly wait: WatchedWait;
  private readonly waiting = {
    onAborted: ({ reason }: AbortSignal): void => {
      this.ended = reason;
      this.wait.onOver();
    },
  };

  constructor(records: Partial<LockBackend['blockedHolds']> = {}) {
    const events = new LockEvents();
    events.on((event) => this.events.push(event));
    const { scheduler } = this;
    const isHeld = async (held: HeldLock): Promise<boolean> => {
      this.asked += 1;
      await this.onAsked();
      return this.isHeld(held);
    };
    const operations = {
      keep: records.keep ?? this.records.keep.bind(this.records),
      find: records.find ?? this.records.find.bind(this.records),
      drop: records.drop ?? this.records.drop.bind(this.records),
    };
    this.watch = new DeadlockWatch({ scheduler, events, records: operations, clientId: 'us', isHeld });
    this.wait = this.watch.guard({
      lock: { connection: 'default', kind: 'reentrant', lockName: 'theirs', template: undefined, method: undefined },
      wants: { family: 'exclusive', name: 'theirs', limit: 1 },
      startedAt: scheduler.now(),
      held: () => this.held,
    });
    this.wait.onWaiting(this.waiting);
  }

  /** The record of the other process, whose caller holds what ours waits for. It began to wait before ours. */
  readonly other: BlockedHold = {
    wait: { id: 'them/1', since: 0, method: '@Locked A.b', wants: { family: 'exclusive', name: 'mine', limit: 1 } },
    held: lock('theirs', 'them:1'),
  };

  keepOther(): Promise<void> {
    return this.records.keep('theirs', textOf(this.other), 2000);
  }

  /** Lets time pass, in which the other process keeps its record, unless it is told not to. */
  async pass(ms: number, isKept: () => boolean = () => true): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      if (isKept()) await this.keepOther();
      await this.clock.advance(100);
    }
  }

  get deadlocks(): number {
    return this.events.filter(({ type }) => type === 'deadlock').length;
  }
}

describe('A watched wait', () => {
  it('ends with LockDeadlockError if the circle stays', async () => {
    const bench = new Bench();
    await bench.pass(2000);
    expect(bench.ended).toBeInstanceOf(LockDeadlockError);
    expect(bench.deadlocks).toBe(1);
    await expect(bench.records.find('mine')).resolves.toEqual([]);
  });

  it('sends nothing before it has lasted for a second, nor after its end', async () => {
    let sent = 0;
    const counted = new Bench({
      keep: async () => void (sent += 1),
      find: async () => {
        sent += 1;
        return [];
      },
      drop: async () => void (sent += 1),
    });
    await counted.clock.advance(999);
    expect(sent).toBe(0);
    await counted.clock.advance(1000);
    expect(sent).toBeGreaterThan(0);
    counted.wait.onOver();
    await counted.clock.advance(1);
    const before = sent;
    await counted.clock.advance(10_000);
    expect(sent).toBe(before);
  });

  it('sends nothing while its caller holds nothing', async () => {
    let sent = 0;
    const bench = new Bench({
      keep: async () => void (sent += 1),
      find: async () => {
        sent += 1;
        return [];
      },
    });
    bench.held = [];
    await bench.clock.advance(5000);
    expect(sent).toBe(0);
  });

  it('goes on while the record of the other one is not kept, since its process may have died', async () => {
    const bench = new Bench();
    let isAlive = true;
    await bench.pass(1000, () => isAlive);
    isAlive = false;
    await bench.pass(5000, () => isAlive);
    expect(bench.ended).toBeUndefined();
    expect(bench.events).toEqual([]);
  });

  it.each(['mine', 'theirs'])('goes on if the server says that %s is not held', async (name) => {
    const bench = new Bench();
    bench.isHeld = (held) => held.name !== name;
    await bench.pass(5000);
    expect(bench.asked).toBeGreaterThan(0);
    expect(bench.ended).toBeUndefined();
  });

  it('goes on if the wait of the other one ends while the server is asked', async () => {
    const bench = new Bench();
    let hasEnded = false;
    bench.onAsked = async () => {
      hasEnded = true;
      await bench.records.drop('theirs', textOf(bench.other));
    };
    await bench.pass(5000, () => !hasEnded);
    expect(hasEnded).toBe(true);
    expect(bench.ended).toBeUndefined();
  });

  it('goes on if its own wait ends while the server is asked', async () => {
    const bench = new Bench();
    bench.onAsked = () => bench.wait.onOver();
    await bench.pass(5000);
    expect(bench.asked).toBeGreaterThan(0);
    expect(bench.ended).toBeUndefined();
    expect(bench.deadlocks).toBe(0);
  });

  it('goes on if another one of the circle is to give up', async () => {
    const bench = new Bench();
    const later = { ...bench.other, wait: { ...bench.other.wait, since: Number.MAX_SAFE_INTEGER } };
    for (let round = 0; round < 50; round += 1) {
      await bench.records.keep('theirs', textOf(later), 2000);
      await bench.clock.advance(100);
    }
    expect(bench.ended).toBeUndefined();
  });

  it('goes on if its caller has let go of the lock meanwhile', async () => {
    const bench = new Bench();
    await bench.pass(1000);
    bench.held = [];
    await bench.pass(5000);
    expect(bench.ended).toBeUndefined();
  });

  it('goes on if the server fails; only a failure that lasts is told, once', async () => {
    const failing = (permanent: boolean): Bench =>
      new Bench({ keep: () => Promise.reject(new LockUnavailableError('no', 'refused', permanent)) });
    const [passing, lasting] = [failing(false), failing(true)];
    for (const bench of [passing, lasting]) await bench.pass(5000);
    expect([passing.ended, lasting.ended]).toEqual([undefined, undefined]);
    expect(passing.events).toEqual([]);
    expect(lasting.events).toMatchObject([{ type: 'unexpected', error: { message: expect.stringContaining('no') } }]);
  });
});
