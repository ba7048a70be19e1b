import type { Acquired } from '../../lib/waiting/lock-attempts.js';
import { lossesIn, openGrant, outcomeOf, TIMEOUT, unavailable } from './open-grant.js';
import { RecordedWaiters } from './recorded-waiters.js';

const FIRST_LEASE = 3000;
const EXTENDED = { name: 'n', owner: 'me:1', count: 1 };

type Opened = ReturnType<typeof openGrant>;
const openGiven = (options: Parameters<typeof openGrant>[0] = {}): Opened =>
  openGrant({ firstLease: FIRST_LEASE, ...options });

describe('The first lease of a lock that another client gave', () => {
  it.each([
    ['that the watchdog renews', undefined, TIMEOUT],
    ['with a lease', 60_000, 60_000 - 25],
  ])('is extended after 25 ms for a hold %s', async (_, lease, needed) => {
    const { clock, lock, grant } = openGiven({ lease });
    await clock.advance(24);
    expect(lock.log).toEqual([]);
    await clock.advance(1);
    expect(lock.holds.requests).toEqual([{ ...EXTENDED, lease: needed }]);
    lock.answerHeld();
    await clock.advance(FIRST_LEASE);
    expect(lock.holds.requests).toHaveLength(1);
    expect(() => grant.assertHeld()).not.toThrow();
  });

  it.each([
    ['is as long as the hold needs it', { lease: 2000, firstLease: 2000 }],
    ['is longer than the hold needs it', { lease: 1000, firstLease: 2000 }],
  ])('is not extended if it %s', async (_, leases) => {
    const { clock, lock } = openGrant(leases);
    await clock.advance(500);
    expect(lock.log).toEqual([]);
  });

  it('ends in a loss if it is never extended', async () => {
    const { clock, lock, grant, emitted } = openGiven();
    await clock.advance(FIRST_LEASE);
    expect(lock.holds.requests).toHaveLength(1);
    expect(lossesIn(emitted)).toHaveLength(1);
    expect(grant.signal.aborted).toBe(true);
  });

  it('is extended every 100 ms until that succeeds, and each failure is an event', async () => {
    const { clock, lock, grant, emitted } = openGiven();
    await clock.advance(25);
    for (let failed = 1; failed <= 3; failed++) {
      lock.holds.next().fail(unavailable());
      await clock.advance(99);
      expect(lock.holds.requests).toHaveLength(failed);
      expect(emitted.filter(({ type }) => type === 'renewal-failed')).toHaveLength(failed);
      // Deadlines that lie close together are reported together.
      await clock.advance(6);
      expect(lock.holds.requests).toHaveLength(failed + 1);
    }
    lock.answerHeld();
    await clock.advance(5000);
    expect(lock.holds.requests).toHaveLength(4);
    expect(lossesIn(emitted)).toEqual([]);
    expect(() => grant.assertHeld()).not.toThrow();
  });

  it('is lost if the server no longer has it, and is not extended again', async () => {
    const { clock, lock, emitted, first } = openGiven();
    await clock.advance(25);
    lock.holds.next().answer({ outcome: 'lost' });
    await clock.advance(60_000);
    expect(lossesIn(emitted)).toHaveLength(1);
    expect(lock.log).toEqual(['hold']);
    expect(clock.pending).toBe(0);
    await expect(first.release()).resolves.toBe('expired');
  });

  it.each<readonly [string, (opened: Opened) => unknown]>([
    [
      'released',
      ({ first, lock }) => {
        const released = first.release();
        lock.releases.next().answer({ outcome: 'released' });
        return released;
      },
    ],
    ['lost', ({ grant }) => grant.lease.lose('lease-over')],
    ['sealed', ({ grant }) => grant.seal()],
  ])('is not extended once it was %s', async (_, end) => {
    const opened = openGiven();
    await opened.clock.advance(20);
    await end(opened);
    await opened.clock.advance(60_000);
    expect(opened.lock.holds.requests).toEqual([]);
    expect(opened.clock.pending).toBe(0);
  });

  it.each<readonly [string, (opened: Opened) => void]>([
    ['it was extended', ({ lock }) => lock.answerHeld()],
    ['the server no longer has it', ({ lock }) => lock.holds.next().answer({ outcome: 'lost' })],
    ['nothing is known', ({ lock }) => lock.holds.next().fail(unavailable())],
  ])('is released after the reply to an extension on its way (%s), and not extended again', async (_, reply) => {
    const opened = openGiven();
    const { clock, lock, first, grant } = opened;
    await clock.advance(25);
    const releasing = outcomeOf(first.release());
    await clock.advance(10);
    expect(lock.log).toEqual(['hold']);
    reply(opened);
    await clock.advance(0);
    if (lock.releases.pending > 0) lock.releases.next().answer({ outcome: 'released' });
    await clock.advance(60_000);
    expect(releasing.end).toMatch(/released|expired/);
    expect(lock.holds.requests).toHaveLength(1);
    expect(grant.signal.aborted).toBe(lock.releases.requests.length === 0);
    expect(clock.pending).toBe(0);
  });

  it('is not extended by itself after a re-entry, which extends it', async () => {
    const { clock, lock, joined } = openGiven();
    await clock.advance(10);
    const inner = await joined();
    expect(lock.holds.requests).toEqual([{ ...EXTENDED, count: 2, lease: TIMEOUT }]);
    await clock.advance(1000);
    expect(lock.holds.requests).toHaveLength(1);
    const leaving = inner.release();
    lock.answerHeld();
    await expect(leaving).resolves.toBe('still-held');
  });

  it('is not extended by itself after a re-entry during which that was due', async () => {
    const { clock, lock, grant, newHold } = openGiven();
    await clock.advance(10);
    const joining = outcomeOf(grant.reenter(newHold(), undefined));
    await clock.advance(100);
    lock.answerHeld();
    await clock.advance(1000);
    expect(joining.end).toBe(true);
    expect(lock.holds.requests).toHaveLength(1);
  });

  it('is extended for one hold before a re-entry that comes during the extension', async () => {
    const { clock, lock, grant, newHold } = openGiven();
    await clock.advance(25);
    const joining = outcomeOf(grant.reenter(newHold(), undefined));
    await clock.advance(10);
    expect(lock.holds.requests).toEqual([{ ...EXTENDED, lease: TIMEOUT }]);
    lock.answerHeld();
    await clock.advance(0);
    expect(lock.holds.requests.slice(1)).toEqual([{ ...EXTENDED, count: 2, lease: TIMEOUT }]);
    lock.answerHeld();
    await clock.advance(0);
    expect(joining.end).toBe(true);
  });

  it('is extended by itself after a re-entry that failed', async () => {
    const { clock, lock, grant, newHold, emitted } = openGiven();
    await clock.advance(10);
    const joining = outcomeOf(grant.reenter(newHold(), undefined));
    lock.holds.next().fail(unavailable());
    await clock.advance(0);
    expect(joining.end).toBe('LockUnavailableError');
    for (let asked = 0; asked < 100; asked++) {
      await clock.advance(100);
      if (lock.holds.pending > 0) lock.answerHeld();
      while (lock.renewals.pending > 0) lock.answerRenewal(true);
    }
    expect(lossesIn(emitted)).toEqual([]);
  });
});

describe('A hand-over inside the process of a lock that another client gave', () => {
  const openWithWaiters = () => {
    const given: Acquired[] = [];
    const waiters = new RecordedWaiters(true);
    waiters.handOver = (_name, got) => given.push(got) > 0;
    return { given, ...openGiven({ kind: { handOver: waiters } }) };
  };

  it('passes on the first lease before it was extended, with the lease that is wanted', async () => {
    const { clock, lock, first, given } = openWithWaiters();
    await clock.advance(24);
    await first.release();
    expect(given).toMatchObject([{ lease: FIRST_LEASE, wanted: TIMEOUT }]);
    await clock.advance(60_000);
    expect(lock.log).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('passes on the extended lease, counted from the grant', async () => {
    const { clock, lock, first, given, acquired } = openWithWaiters();
    await clock.advance(25);
    lock.answerHeld();
    await clock.advance(0);
    await first.release();
    expect(given).toEqual([{ ...acquired, lease: TIMEOUT }]);
    await clock.advance(60_000);
    expect(lock.log).toEqual(['hold']);
    expect(clock.pending).toBe(0);
  });

  it('passes on the first lease after an extension that failed', async () => {
    const { clock, lock, first, given } = openWithWaiters();
    await clock.advance(25);
    lock.holds.next().fail(unavailable());
    await clock.advance(0);
    await first.release();
    expect(given).toMatchObject([{ lease: FIRST_LEASE, wanted: TIMEOUT }]);
    await clock.advance(60_000);
    expect(lock.log).toEqual(['hold']);
  });

  it('passes on nothing that the server no longer had', async () => {
    const { clock, lock, first, given } = openWithWaiters();
    await clock.advance(25);
    const releasing = outcomeOf(first.release());
    lock.holds.next().answer({ outcome: 'lost' });
    await clock.advance(0);
    expect(releasing.end).toBe('expired');
    expect(given).toEqual([]);
  });
});
