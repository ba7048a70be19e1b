import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { WaitOutcome, WaitRequest } from '../../lib/backend/kinds/lock/granting-lock.js';
import type { WaitingEntry } from '../../lib/backend/lock-operations.js';
import { OwnerIds } from '../../lib/context/owner-ids.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { ClientEntry } from '../../lib/waiting/client-entry.js';
import { ScriptedPubSub } from './scripted-pub-sub.js';

const LEASE = 1000;

/** The entry of a client that listens, whose requests the test answers. */
class EntryBench {
  readonly asked: WaitRequest[] = [];
  readonly withdrawn: string[] = [];
  wakes = 0;
  /** The next replies; after them, the lock is busy. */
  readonly replies: WaitOutcome[] = [];
  readonly entry: ClientEntry;

  constructor() {
    const locks: Partial<LockBackend['lock']> = {
      canWait: () => true,
      grantChannel: () => ({ name: 'channel', read: () => undefined }),
      entryOf: (owner, lease): WaitingEntry => ({ owner, lease, firstLease: lease }),
      wait: async (request) => {
        this.asked.push(request);
        return this.replies.shift() ?? { outcome: 'busy', remaining: 7000, holder: 'them:1' };
      },
      withdraw: (_name, { owner }) => void this.withdrawn.push(owner),
    };
    // Only these operations are called.
    const services = {
      locks: locks as LockBackend['lock'],
      owners: new OwnerIds('us'),
      pubSub: new ScriptedPubSub(),
      onPassedOn: (): void => {},
    };
    this.entry = new ClientEntry('a', services, {
      onGranted: () => {},
      onMissed: () => void (this.wakes += 1),
      onFailed: () => {},
    });
  }

  static async listening(): Promise<EntryBench> {
    const bench = new EntryBench();
    bench.entry.listen();
    // The subscription is confirmed in a later turn.
    await new Promise((resolve) => void setImmediate(resolve));
    return bench;
  }
}

describe('The entry of a client', () => {
  it.each([
    { title: 'was withdrawn during the release', isWithdrawn: true },
    { title: 'still waits', isWithdrawn: false },
  ])('wakes the waiters that a release has kept from asking, if it $title', async ({ isWithdrawn }) => {
    const bench = await EntryBench.listening();
    const again = bench.entry.entryFor(LEASE);
    if (isWithdrawn) bench.entry.withdraw();
    await expect(bench.entry.attempt(LEASE)).resolves.toEqual({ holder: 'us:1', remaining: -1 });
    again?.afterRelease({ outcome: 'passed-on' });
    expect(bench.withdrawn).toEqual(isWithdrawn ? ['us:1'] : []);
    expect(bench.wakes).toBe(1);
  });

  it('is not asked about while it is unknown whether the release that carries it was executed, and the caller is told', async () => {
    const bench = await EntryBench.listening();
    const again = bench.entry.entryFor(LEASE);
    expect(again?.afterRelease(undefined)).toBeUndefined();
    const why = 'Redis has not confirmed yet that the previous holder of this process released the lock';
    await expect(bench.entry.attempt(LEASE)).rejects.toThrow(why);
    await expect(bench.entry.attempt(LEASE)).rejects.toMatchObject({ outcome: 'not-sent', permanent: false });
    expect(bench.asked).toEqual([]);
    again?.onSettled();
    expect(bench.wakes).toBe(1);
    await bench.entry.attempt(LEASE);
    expect(bench.asked).toMatchObject([{ entry: { owner: 'us:1' }, isNew: false }]);
  });

  it('that the lock was kept for is asked about if most of the lease is over by the time of the reply', async () => {
    const bench = await EntryBench.listening();
    const again = bench.entry.entryFor(LEASE);
    const scheduler = new MonotonicScheduler(new ManualClock(), () => {});
    const sent = new Stopwatch(scheduler, LEASE / 2 + 1);
    expect(again?.afterRelease({ outcome: 'kept', sent })).toBeUndefined();
    expect(bench.wakes).toBe(1);
    await bench.entry.attempt(LEASE);
    expect(bench.asked).toMatchObject([{ entry: { owner: 'us:1' }, isNew: false }]);
  });

  it('that is gone ends the attempt, and wakes those that still wait for the next one', async () => {
    const bench = await EntryBench.listening();
    await bench.entry.attempt(LEASE);
    bench.replies.push({ outcome: 'gone' });
    await expect(bench.entry.attempt(LEASE)).resolves.toEqual({ remaining: -1 });
    expect(bench.asked.map(({ entry, isNew }) => [entry.owner, isNew])).toEqual([
      ['us:1', true],
      ['us:1', false],
    ]);
    expect(bench.wakes).toBe(1);
    await bench.entry.attempt(LEASE);
    expect(bench.asked.at(-1)).toMatchObject({ entry: { owner: 'us:2' }, isNew: true });
  });

  it('waits with the lease of the waiter that asks now, not with that of one before it', async () => {
    const bench = await EntryBench.listening();
    for (const lease of [LEASE, LEASE, 2 * LEASE, LEASE]) await bench.entry.attempt(lease);
    expect(bench.asked.map(({ entry, isNew }) => [entry.owner, entry.lease, isNew])).toEqual([
      ['us:1', LEASE, true],
      ['us:1', LEASE, false],
      ['us:2', 2 * LEASE, true],
      ['us:3', LEASE, true],
    ]);
    expect(bench.withdrawn).toEqual(['us:1', 'us:2']);
  });
});
