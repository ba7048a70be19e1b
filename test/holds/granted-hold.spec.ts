import { inspect } from 'node:util';
import { currentContext } from '../../lib/context/owner-context.js';
import { LockLostError, LockOptionsError } from '../../lib/errors.js';
import { GrantedHold } from '../../lib/holds/granted-hold.js';
import { safeDuration } from '../../lib/watchdog/lease.js';
import { HOLD_REPLIES, openGrant, outcomeOf, unavailable } from './open-grant.js';

describe('A hold of a grant', () => {
  it('shows name, owner, fence and signal of its grant, and the time waited', () => {
    const { grant } = openGrant({ name: 'order:1', owner: 'me:7' });
    const hold = new GrantedHold(grant, 'scoped', 12);
    expect(hold).toMatchObject({ name: 'order:1', owner: 'me:7', fence: undefined, waited: 12, isHeld: true });
    expect(hold.signal).toBe(grant.signal);
    const summary = { name: 'order:1', owner: 'me:7', waited: 12, isHeld: true };
    expect(JSON.parse(JSON.stringify(hold))).toEqual(summary);
    expect(inspect(hold)).toBe(`Hold ${inspect(summary)}`);
  });

  it('is released once, however often that is called, and each call has the same result', async () => {
    const { lock, first } = openGrant();
    const releases = [first.release(), first.release()];
    expect(first.isHeld).toBe(false);
    lock.releases.next().answer({ outcome: 'released' });
    releases.push(first.release());
    await expect(Promise.all(releases)).resolves.toEqual(['released', 'released', 'released']);
    expect(lock.log).toEqual(['release']);
  });

  it('ends as soon as its release is called, while others of its grant are still held', async () => {
    const { clock, lock, grant, first, joined } = openGrant();
    const inner = await joined();
    const releasing = inner.release();
    expect(() => inner.assertHeld()).toThrow('was already released; this hold of me:1 has ended');
    expect(() => inner.run(() => 0)).toThrow(LockLostError);
    expect(() => first.assertHeld()).not.toThrow();
    const calls = [inner.extend(1000), inner.limit(1000)].map(outcomeOf);
    lock.answerHeld();
    await releasing;
    await clock.advance(0);
    expect(calls.map(({ end }) => end)).toEqual(['LockLostError', 'LockLostError']);
    expect(() => grant.assertHeld()).not.toThrow();
    expect(lock.log).toEqual(['hold', 'hold']);
  });

  it('runs a callback in a context of its own, which closes with the promise of the callback', async () => {
    const { first } = openGrant();
    let finish = (): void => {};
    const working = first.run(async () => {
      const context = currentContext();
      await new Promise<void>((resolve) => (finish = resolve));
      return [context?.kind === 'hold' ? context.hold : undefined, currentContext() === context] as const;
    });
    expect(currentContext()).toBeUndefined();
    finish();
    await expect(working).resolves.toEqual([first, true]);
  });
});

describe('The extension of a hold', () => {
  it.each<{ readonly lease: Parameters<GrantedHold['extend']>[0]; readonly maxLease: number }>([
    { lease: 9, maxLease: Infinity },
    { lease: 60_001, maxLease: 60_000 },
    { lease: 1.5, maxLease: Infinity },
    { lease: { renew: true, lease: 60_001 }, maxLease: 60_000 },
  ])('by $lease ms with a maximum of $maxLease ms is refused without a command', async ({ lease, maxLease }) => {
    const { lock, first } = openGrant({ maxLease });
    await expect(first.extend(lease)).rejects.toBeInstanceOf(LockOptionsError);
    expect(lock.log).toEqual([]);
  });
});

describe('A hold whose caller waited for other locks meanwhile', () => {
  // The lease ends 980 - 20 = 960 ms after the grant for its holder.
  it.each([
    { lease: 1000, passed: safeDuration(1000) - 500, sent: [] },
    { lease: 1000, passed: safeDuration(1000) - 499, sent: [{ count: 1, lease: 1000 }] },
    { lease: undefined, passed: 29_000, sent: [] },
  ])(
    'begins its lease of $lease ms anew after $passed ms only if less than half is left: $sent',
    async ({ lease, passed, sent }) => {
      const { clock, lock, first } = openGrant({ lease });
      await clock.advance(passed);
      const refreshing = outcomeOf(first.refresh(lease));
      await clock.advance(0);
      expect(lock.holds.requests).toMatchObject(sent);
      if (sent.length > 0) lock.answerHeld();
      await clock.advance(0);
      expect(refreshing.end).toBeUndefined();
    },
  );

  it.each([
    { reply: 'held', end: undefined },
    { reply: 'lost', end: 'LockLostError: gone' },
    { reply: 'a passing error', end: 'LockUnavailableError' },
  ] as const)('is given the lease that it asked for; a reply of $reply ends that with $end', async ({ reply, end }) => {
    const { clock, lock, first } = openGrant();
    const limiting = outcomeOf(first.limit(5000));
    await clock.advance(0);
    HOLD_REPLIES[reply](lock);
    await clock.advance(0);
    expect(limiting.end).toBe(end);
    expect(lock.holds.requests).toMatchObject([{ count: 1, lease: 5000 }]);
  });
});

describe.each([
  ['releaseQuietly()', (hold: GrantedHold) => hold.releaseQuietly()],
  ['`await using`', (hold: GrantedHold) => hold[Symbol.asyncDispose]()],
])('A hold that is released by %s', (_, release) => {
  it('emits an error of the release, and does not reject', async () => {
    const { clock, lock, first, emitted } = openGrant();
    await clock.advance(1500);
    const error = unavailable();
    const releasing = release(first);
    lock.releases.next().fail(error);
    await expect(releasing).resolves.toBeUndefined();
    expect(emitted).toEqual([
      {
        type: 'release-failed',
        connection: 'default',
        kind: 'reentrant',
        lockName: 'n',
        template: undefined,
        method: '@Locked A.b',
        owner: 'me:1',
        heldFor: 1500,
        error,
      },
    ]);
  });
});

describe('The latest manual hold of a grant', () => {
  it('is the last one added that is not of a callback and not being released', async () => {
    const { grant, first, lock, joined } = openGrant();
    const second = await joined();
    const scoped = new GrantedHold(grant, 'scoped', 0);
    const joining = grant.reenter(scoped, undefined);
    lock.answerHeld();
    await joining;
    expect(grant.holds.latestManual).toBe(second);
    void second.release();
    expect(grant.holds.latestManual).toBe(first);
    void first.release();
    expect(grant.holds.latestManual).toBeUndefined();
  });
});
