import { safeDuration } from '../../lib/watchdog/lease.js';
import { HOLD_REPLIES, openGrant, outcomeOf, TIMEOUT, unavailable } from './open-grant.js';

/** What each renewal grants, ms. */
const LEASE = 3000;
/** By then a failed command is followed by a renewal, and no regular one is due. */
const SOON = LEASE / 6;

describe('A hold that is to be renewed from now on', () => {
  const asked = async (left = safeDuration(60_000)) => {
    const opened = openGrant({ lease: 60_000 });
    const { clock, lock, first } = opened;
    await clock.advance(safeDuration(60_000) - left);
    const extending = outcomeOf(first.extend({ renew: true, lease: LEASE }));
    await clock.advance(0);
    expect(lock.holds.requests).toEqual([{ name: 'n', owner: 'me:1', count: 1, lease: LEASE }]);
    return { ...opened, extending };
  };

  it.each([
    { reply: 'held', end: undefined, state: 'held', renewals: 1 },
    { reply: 'lost', end: 'LockLostError: gone', state: 'lost', renewals: 0 },
    { reply: 'a passing error', end: 'LockUnavailableError', state: 'suspended', renewals: 1 },
    { reply: 'a permanent error', end: 'LockUnavailableError', state: 'suspended', renewals: 1 },
  ] as const)('is $state after a reply of $reply, and then renewed $renewals times', async (row) => {
    const { clock, lock, first, extending } = await asked();
    expect([first.state, first.remaining]).toEqual(['held', safeDuration(LEASE)]);
    HOLD_REPLIES[row.reply](lock);
    await clock.advance(0);
    expect(extending.end).toBe(row.end);
    expect(first.state).toBe(row.state);
    await clock.advance(LEASE / 3);
    expect(lock.renewals.requests).toMatchObject(Array.from({ length: row.renewals }, () => [{ lease: LEASE }]));
    if (row.renewals > 0) lock.answerRenewal(true);
    await clock.advance(0);
    expect(first.state).toBe(row.renewals > 0 ? 'held' : 'lost');
  });

  it('is renewed soon if the command failed, since its lease may end before a regular renewal', async () => {
    const { clock, lock, first } = await asked(900);
    lock.holds.next().fail(unavailable());
    await clock.advance(SOON);
    expect(lock.renewals.requests).toMatchObject([[{ lease: LEASE }]]);
    lock.answerRenewal(true);
    await clock.advance(0);
    expect(first.remaining).toBeGreaterThan(900);
    for (let round = 0; round < 4; round += 1) {
      await clock.advance(LEASE / 3);
      lock.answerRenewal(true);
      await clock.advance(0);
      expect(first.state).toBe('held');
    }
  });

  it('is not looked after any more if it was lost before the reply', async () => {
    const { clock, lock, first } = await asked(900);
    await clock.advance(900);
    lock.holds.next().fail(unavailable());
    await clock.advance(TIMEOUT);
    expect(first.state).toBe('lost');
    expect(lock.renewals.requests).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('has one retry for all commands that fail', async () => {
    const { clock, lock, first } = await asked();
    lock.holds.next().fail(unavailable());
    await clock.advance(0);
    const timers = clock.pending;
    const again = outcomeOf(first.extend({ renew: true }));
    await clock.advance(0);
    lock.holds.next().fail(unavailable());
    await clock.advance(0);
    expect(again.end).toBe('LockUnavailableError');
    expect(clock.pending).toBe(timers);
  });

  it('is not renewed if it was released before the reply', async () => {
    const { clock, lock, first } = await asked();
    const leaving = first.release();
    lock.holds.next().fail(unavailable());
    await clock.advance(0);
    lock.releases.next().answer({ outcome: 'released' });
    await expect(leaving).resolves.toBe('released');
    await clock.advance(TIMEOUT);
    expect(lock.renewals.requests).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe('The state of a hold', () => {
  it('is that of its own term: one with a lease is not suspended beside one that is renewed', async () => {
    const { clock, lock, first, joined } = openGrant();
    const leased = await joined(60_000);
    await clock.advance(TIMEOUT / 3);
    lock.renewals.next().fail(unavailable());
    await clock.advance(0);
    expect([first.state, leased.state]).toEqual(['suspended', 'held']);
  });

  it('stays suspended when another hold of the owner is abandoned', async () => {
    const { clock, lock, first, joined } = openGrant();
    const other = await joined();
    await clock.advance(TIMEOUT / 3);
    lock.renewals.next().fail(unavailable());
    await clock.advance(0);
    other.abandon();
    await clock.advance(0);
    expect([first.state, other.state]).toEqual(['suspended', 'released']);
  });

  it('is suspended once renewals are ended, as when the application closes', () => {
    const { watchdog, first } = openGrant();
    watchdog.stop();
    expect(first.state).toBe('suspended');
  });

  it('is suspended while a detachment is in flight, by which it may have ended', async () => {
    const operations = { detach: () => new Promise<never>(() => {}), attach: () => new Promise<never>(() => {}) };
    const { clock, first } = openGrant({ kind: { detaching: { kind: 'plain', connection: 'default', operations } } });
    void first.detach();
    await clock.advance(0);
    expect([first.isHeld, first.state]).toEqual([false, 'suspended']);
  });
});
