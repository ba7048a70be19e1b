import { safeDuration } from '../../lib/watchdog/lease.js';
import { GONE, HOLD_REPLIES, lossesIn, openGrant, outcomeOf, TIMEOUT, unavailable } from './open-grant.js';

describe('A re-entry of a grant', () => {
  it.each([
    { outer: undefined, inner: undefined, wanted: TIMEOUT },
    { outer: undefined, inner: 5000, wanted: TIMEOUT },
    { outer: undefined, inner: 60_000, wanted: 60_000 },
    { outer: 20_000, inner: 5000, wanted: 16_000 },
    { outer: 20_000, inner: undefined, wanted: TIMEOUT },
    { outer: 20_000, inner: 60_000, wanted: 60_000 },
  ])(
    'requests $wanted ms where the first hold has a lease of $outer ms and the second of $inner ms',
    async ({ outer, inner, wanted }) => {
      const { clock, lock, grant, newHold } = openGrant({ lease: outer });
      await clock.advance(4000);
      const joining = outcomeOf(grant.reenter(newHold(), inner));
      expect(lock.holds.requests).toEqual([{ name: 'n', owner: 'me:1', count: 2, lease: wanted }]);
      await clock.advance(0);
      expect(joining.end).toBe('pending');
      lock.answerHeld();
      await clock.advance(0);
      expect(joining.end).toBe(true);
      expect(grant.lease.remaining).toBe(safeDuration(wanted));
    },
  );

  it.each([
    { reply: 'held', end: true, count: 3, losses: [] },
    { reply: 'lost', end: 'LockLostError: gone', count: undefined, losses: [GONE] },
    { reply: 'a passing error', end: 'LockUnavailableError', count: 2, losses: [] },
    { reply: 'a permanent error', end: 'LockUnavailableError', count: 2, losses: [] },
  ] as const)('answered with $reply ends with $end; the next one requests the count $count', async (row) => {
    const { clock, lock, grant, newHold, emitted } = openGrant();
    const joining = outcomeOf(grant.reenter(newHold(), undefined));
    HOLD_REPLIES[row.reply](lock);
    await clock.advance(0);
    expect(joining.end).toBe(row.end);
    expect(lossesIn(emitted)).toEqual(row.losses);
    const next = outcomeOf(grant.reenter(newHold(), undefined));
    await clock.advance(0);
    expect(lock.holds.requests[1]?.count).toBe(row.count);
    expect(next.end).toBe(row.count === undefined ? 'LockLostError: gone' : 'pending');
  });

  it.each(['released', 'not-held', 'failed'])('behind the last release gets no hold: %s', async (reply) => {
    const { clock, lock, grant, first, newHold } = openGrant();
    const leaving = first.release().catch(() => {});
    const joining = outcomeOf(grant.reenter(newHold(), undefined));
    await clock.advance(0);
    expect(joining.end).toBe('pending');
    const command = lock.releases.next();
    if (reply === 'failed') command.fail(unavailable());
    else command.answer({ outcome: reply === 'released' ? 'released' : 'not-held' });
    await leaving;
    await clock.advance(0);
    expect(joining.end).toBe(false);
    expect(lock.log).toEqual(['release']);
  });

  it('in flight stops the watchdog from renewing the grant until the next round', async () => {
    const { clock, lock, grant, newHold } = openGrant();
    await clock.advance(9000);
    const joining = grant.reenter(newHold(), undefined);
    expect(grant.isBusy).toBe(true);
    await clock.advance(2000);
    expect(lock.log).toEqual(['hold']);
    lock.answerHeld();
    await joining;
    expect(grant.isBusy).toBe(false);
    await clock.advance(10_000);
    expect(lock.log).toEqual(['hold', 'renew']);
  });
});

describe('A grant of the watchdog', () => {
  it.each(['a re-entry', 'a release'])('has a timer for its deadline from a failed renewal until %s', async (next) => {
    const { clock, lock, joined } = openGrant();
    const inner = await joined();
    await clock.advance(10_000);
    const beforeFailure = clock.pending;
    lock.renewals.next().fail(unavailable());
    await clock.advance(0);
    // One timer is for the deadline, and one for the next attempt of the renewal.
    expect(clock.pending).toBe(beforeFailure + 2);
    if (next === 'a re-entry') {
      await joined();
    } else {
      const releasing = inner.release();
      lock.answerHeld();
      await releasing;
    }
    expect(clock.pending).toBe(beforeFailure + 1);
  });
});

describe.each(['extend', 'limit'] as const)('The command of a grant to %s a hold', (change) => {
  it.each([
    { before: undefined, lease: 5000, extended: TIMEOUT, limited: 5000 },
    { before: undefined, lease: 60_000, extended: TIMEOUT, limited: 60_000 },
    { before: 20_000, lease: 5000, extended: 16_000, limited: 5000 },
    { before: 20_000, lease: 60_000, extended: 60_000, limited: 60_000 },
  ])(
    'by $lease ms requests $extended ms (extend) or $limited ms (limit) where its lease was $before ms',
    async ({ before, lease, ...wanted }) => {
      const { clock, lock, grant, first } = openGrant({ lease: before });
      await clock.advance(4000);
      const changing = outcomeOf(grant[change](first, lease));
      const expected = change === 'extend' ? wanted.extended : wanted.limited;
      expect(lock.holds.requests).toEqual([{ name: 'n', owner: 'me:1', count: 1, lease: expected }]);
      lock.answerHeld();
      await clock.advance(0);
      expect(changing.end).toBeUndefined();
      expect(grant.lease.remaining).toBe(safeDuration(expected));
      expect(grant.isRenewed).toBe(before === undefined && change === 'extend');
    },
  );

  it('that may have shortened the lease counts until the next command is confirmed', async () => {
    const { clock, lock, grant, first } = openGrant();
    await clock.advance(10_000);
    const changing = outcomeOf(grant.limit(first, 5000));
    lock.holds.next().fail(unavailable());
    await clock.advance(0);
    expect(changing.end).toBe('LockUnavailableError');
    lock.answerRenewal(true);
    await clock.advance(0);
    expect(grant.lease.remaining).toBe(safeDuration(5000));
    const next = grant[change](first, 60_000);
    lock.answerHeld();
    await next;
    expect(grant.lease.remaining).toBe(safeDuration(60_000));
  });

  it.each(['held', 'a passing error'] as const)(
    'in flight when the only hold is released is refused if answered with %s, and the release follows',
    async (reply) => {
      const { clock, lock, grant, first, emitted } = openGrant({ lease: 20_000 });
      const changing = outcomeOf(grant[change](first, 60_000));
      const leaving = outcomeOf(first.release());
      expect(grant.lease.remaining).toBe(0);
      await clock.advance(0);
      expect(lock.log).toEqual(['hold']);
      HOLD_REPLIES[reply](lock);
      await clock.advance(0);
      expect(changing.end).toBe(reply === 'a passing error' ? 'LockUnavailableError' : 'LockLostError');
      // The server may keep the lock for as long as the command asked for.
      expect(lock.releases.requests).toEqual([{ name: 'n', owner: 'me:1', lease: 60_000 }]);
      lock.releases.next().answer({ outcome: 'released' });
      await clock.advance(0);
      expect(leaving.end).toBe('released');
      expect(emitted).toEqual([]);
      await clock.advance(TIMEOUT);
      expect(clock.pending).toBe(0);
    },
  );
});
