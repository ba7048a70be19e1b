import { SharedTimes } from '../../lib/watchdog/worker/shared-times.js';
import { type HoldOfMain, WorkerHolds } from '../../lib/watchdog/worker/worker-holds.js';

const LEASE = 9000;
const LONGEST = 60_000;
/** Any time but 0, which stands for none. */
const START = 1_000_000;

/** The worker, and the main thread, whose event loop beats at the times that a test says. */
class Threads {
  now = START;
  beat = START;
  readonly holds = new WorkerHolds(
    () => this.now,
    () => this.beat,
    LONGEST,
  );

  add(name: string, { lease = LEASE, keptFor = Number.POSITIVE_INFINITY, needed = 0 } = {}): HoldOfMain {
    const times = new SharedTimes();
    times.keep({ lease, keptFor, neededLease: needed || lease }, this.now);
    const hold: HoldOfMain = { kind: 'lock', name, owner: 'a:1', times };
    this.holds.add(hold);
    return hold;
  }

  /** The holds to renew at this time after the start, each with its lease. */
  dueAt(ms: number): readonly (readonly [name: string, lease: number])[] {
    this.now = START + ms;
    return this.holds.takeDue().map(({ hold, lease }) => [hold.name, lease]);
  }
}

describe('The holds of the main thread, as the worker sees them', () => {
  it('are renewed once that thread has stood for a third of their lease', () => {
    const threads = new Threads();
    threads.add('short', { lease: 3000 });
    threads.add('long');
    expect(threads.dueAt(999)).toEqual([]);
    expect(threads.dueAt(1000)).toEqual([['short', 3000]]);
    expect(threads.dueAt(2999)).toEqual([]);
    expect(threads.dueAt(3000)).toEqual([['long', LEASE]]);
  });

  it('are left to that thread as long as it beats', () => {
    const threads = new Threads();
    threads.add('n');
    for (let at = 0; at < 10 * LEASE; at += 300) {
      threads.beat = START + at;
      expect(threads.dueAt(at + 2999)).toEqual([]);
    }
  });

  it('are renewed again a third of their lease after the last renewal was sent, and not while one is on its way', () => {
    const threads = new Threads();
    const hold = threads.add('n');
    expect(threads.dueAt(3000)).toHaveLength(1);
    expect(threads.dueAt(8000)).toEqual([]);
    threads.holds.renewed(hold, START + 3000);
    expect(threads.dueAt(5999)).toEqual([]);
    expect(threads.dueAt(6000)).toHaveLength(1);
  });

  it('are renewed again soon after a renewal that failed', () => {
    const threads = new Threads();
    const hold = threads.add('n');
    threads.dueAt(3000);
    threads.holds.failed(hold);
    expect(threads.dueAt(3599)).toEqual([]);
    expect(threads.dueAt(3600)).toHaveLength(1);
  });

  it('are given up once that thread has stood for too long, and taken up again when it beats and stands anew', () => {
    const threads = new Threads();
    const hold = threads.add('n');
    expect(threads.dueAt(LONGEST)).toHaveLength(1);
    threads.holds.renewed(hold, START + LONGEST);
    expect(threads.dueAt(LONGEST + 3000)).toEqual([]);
    expect(threads.dueAt(10 * LONGEST)).toEqual([]);
    threads.beat = START + 10 * LONGEST;
    expect(threads.dueAt(10 * LONGEST + 2999)).toEqual([]);
    expect(threads.dueAt(10 * LONGEST + 3000)).toHaveLength(1);
  });

  it('are forgotten when they have ended, also if the renewal on its way is answered after that', () => {
    const threads = new Threads();
    const [ended, late] = [threads.add('ended'), threads.add('late')];
    ended.times.end();
    expect(threads.dueAt(3000)).toEqual([['late', LEASE]]);
    late.times.end();
    expect(threads.dueAt(6000)).toEqual([]);
    threads.holds.renewed(late, START + 3000);
    expect(threads.dueAt(20_000)).toEqual([]);
    expect(threads.holds.size).toBe(0);
  });

  it('are forgotten when the server has them no more', () => {
    const threads = new Threads();
    const hold = threads.add('n');
    threads.dueAt(3000);
    threads.holds.gone(hold);
    expect([hold.times.isGone, threads.holds.size]).toEqual([true, 0]);
  });

  it('are not renewed beyond the time for which they are kept', () => {
    const threads = new Threads();
    threads.add('n', { keptFor: 5000 });
    expect(threads.dueAt(3000)).toEqual([['n', 2000]]);
    const other = new Threads();
    other.add('n', { keptFor: 5000 });
    expect(other.dueAt(5000)).toEqual([]);
  });

  it('keep a lease that is longer than what a renewal grants', () => {
    const threads = new Threads();
    threads.add('n', { needed: 30_000 });
    expect(threads.dueAt(3000)).toEqual([['n', 27_000]]);
  });

  it('are looked at thirty times in the shortest of their leases, but not for those that have ended', () => {
    const threads = new Threads();
    expect(threads.holds.pause).toBe(Number.POSITIVE_INFINITY);
    threads.add('long');
    const short = threads.add('short', { lease: 600 });
    expect(threads.holds.pause).toBe(20);
    short.times.end();
    threads.dueAt(0);
    expect(threads.holds.pause).toBe(300);
  });
});
