import { safeDuration } from '../../lib/watchdog/lease.js';
import { HOLD_REPLIES, openGrant, outcomeOf, TIMEOUT } from './open-grant.js';

type Reply = keyof typeof HOLD_REPLIES;

/** A release of the inner of two holds, with each possible order of replies to it. */
const INNER_RELEASES: readonly (readonly [replies: readonly Reply[], end: string, isLost: boolean])[] = [
  [['held'], 'still-held', false],
  [['lost'], 'expired', true],
  [['a passing error', 'held'], 'still-held', false],
  [['a passing error', 'lost'], 'expired', true],
  [['a passing error', 'a passing error'], 'LockUnavailableError', false],
  [['a passing error', 'a permanent error'], 'LockUnavailableError', false],
  [['a permanent error'], 'LockUnavailableError', false],
];

describe('The release of the inner of two holds', () => {
  it.each([
    { outer: undefined, inner: undefined, wanted: TIMEOUT, isRenewed: true },
    { outer: undefined, inner: 60_000, wanted: TIMEOUT, isRenewed: true },
    { outer: 20_000, inner: undefined, wanted: 16_000, isRenewed: false },
    { outer: 20_000, inner: 60_000, wanted: 16_000, isRenewed: false },
  ])(
    'with a lease of $inner ms leaves the server $wanted ms for the outer one, which had $outer ms',
    async ({ outer, inner, wanted, isRenewed }) => {
      const { clock, lock, grant, joined } = openGrant({ lease: outer });
      const innerHold = await joined(inner);
      await clock.advance(4000);
      const leaving = outcomeOf(innerHold.release());
      expect(lock.holds.requests[1]).toEqual({ name: 'n', owner: 'me:1', count: 1, lease: wanted });
      lock.answerHeld();
      await clock.advance(0);
      expect(leaving.end).toBe('still-held');
      expect(grant.lease.remaining).toBe(safeDuration(wanted));
      expect(grant.isRenewed).toBe(isRenewed);
      expect(grant.isJoinable).toBe(true);
    },
  );

  it.each(INNER_RELEASES)('answered with %j ends with %s', async (replies, end, isLost) => {
    const { clock, lock, grant, first, joined } = openGrant();
    const leaving = outcomeOf((await joined()).release());
    for (const reply of replies) {
      expect(leaving.end).toBe('pending');
      HOLD_REPLIES[reply](lock);
      await clock.advance(0);
    }
    expect(leaving.end).toBe(end);
    expect(lock.holds.requests.map(({ count }) => count)).toEqual([2, ...replies.map(() => 1)]);
    expect(grant.isLost).toBe(isLost);
    const last = outcomeOf(first.release());
    await clock.advance(0);
    // The server no longer counts the owner, so there is nothing to release.
    expect(last.end).toBe(isLost ? 'expired' : 'pending');
    expect(lock.releases.pending).toBe(isLost ? 0 : 1);
  });
});

describe('The release of the only hold during a re-entry', () => {
  it.each([
    { reply: 'held', end: 'still-held', log: ['hold', 'hold'], isJoinable: true },
    { reply: 'lost', end: 'expired', log: ['hold'], isJoinable: false },
    { reply: 'a passing error', end: 'released', log: ['hold', 'release'], isJoinable: false },
    { reply: 'a permanent error', end: 'released', log: ['hold', 'release'], isJoinable: false },
  ] as const)('that is answered with $reply is $end', async ({ reply, end, log, isJoinable }) => {
    const { clock, lock, grant, first, newHold } = openGrant();
    void grant.reenter(newHold(), undefined).catch(() => {});
    const leaving = outcomeOf(first.release());
    // A re-entry is in flight, so the lease goes on.
    expect(grant.isJoinable).toBe(true);
    expect(grant.lease.remaining).toBe(safeDuration(TIMEOUT));
    HOLD_REPLIES[reply](lock);
    await clock.advance(0);
    expect(lock.log).toEqual(log);
    if (end === 'still-held') lock.answerHeld();
    if (end === 'released') lock.releases.next().answer({ outcome: 'released' });
    await clock.advance(0);
    expect(leaving.end).toBe(end);
    expect(grant.isJoinable).toBe(isJoinable);
    expect(lock.holds.requests.map(({ count }) => count)).toEqual(isJoinable ? [2, 1] : [2]);
  });
});

describe('Several holds that leave at once', () => {
  it('end the lease with the last of them, and are sent to the server one after the other', async () => {
    const { clock, lock, grant, first, joined, emitted } = openGrant();
    const inner = await joined();
    const ends = [outcomeOf(first.release())];
    expect(grant.isJoinable).toBe(true);
    ends.push(outcomeOf(inner.release()));
    expect(grant.isJoinable).toBe(false);
    expect(grant.lease.remaining).toBe(0);
    await clock.advance(0);
    expect(lock.log).toEqual(['hold', 'hold']);
    lock.answerHeld();
    await clock.advance(0);
    expect(ends.map(({ end }) => end)).toEqual(['still-held', 'pending']);
    expect(lock.log).toEqual(['hold', 'hold', 'release']);
    lock.releases.next().answer({ outcome: 'released' });
    await clock.advance(TIMEOUT);
    expect(ends.map(({ end }) => end)).toEqual(['still-held', 'released']);
    expect(emitted).toEqual([]);
    expect(lock.renewals.requests).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
