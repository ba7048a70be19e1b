import { LockKeyTypeError } from '../../lib/errors.js';
import { GONE, HOLD_REPLIES, lossesIn, openGrant, outcomeOf, TIMEOUT, unavailable } from './open-grant.js';

type Opened = ReturnType<typeof openGrant>;

const ignored = (call: Promise<unknown>): void => void call.catch(() => {});

describe('A grant that is asked to verify that the server still has it', () => {
  it.each([
    ['while it is being verified', ({ grant }: Opened) => ignored(grant.verify())],
    ['while a re-entry is on its way', ({ grant, newHold }: Opened) => ignored(grant.reenter(newHold(), undefined))],
    ['while its last release is on its way', ({ first }: Opened) => ignored(first.release())],
    ['when it is lost', ({ grant }: Opened) => grant.lease.lose('gone')],
    ['when it is sealed', ({ grant }: Opened) => grant.seal()],
  ] as const)('does not ask the server %s', async (_, act) => {
    const opened = openGrant();
    await act(opened);
    const before = opened.lock.inspections.requests.length;
    await opened.grant.verify();
    expect(opened.lock.inspections.requests).toHaveLength(before);
  });

  it.each([
    { reply: 'that it is held', answer: 1, losses: [], others: [] },
    { reply: 'that it is not held', answer: 0, losses: [GONE], others: [] },
    { reply: 'a passing error', answer: unavailable(), losses: [], others: [] },
    { reply: 'a permanent error', answer: unavailable(true), losses: [], others: ['unexpected'] },
    { reply: 'a key of another type', answer: new LockKeyTypeError('a list'), losses: [GONE], others: [] },
    { reply: 'an unknown error', answer: new TypeError('?'), losses: [], others: ['unexpected'] },
  ])('and is answered with $reply never rejects, and may ask again', async ({ answer, losses, others }) => {
    const { lock, grant, emitted } = openGrant();
    const verifying = grant.verify();
    if (answer instanceof Error) lock.inspections.next().fail(answer);
    else lock.answerInspection(answer);
    await verifying;
    expect(lossesIn(emitted)).toEqual(losses);
    expect(emitted.map(({ type }) => type).filter((type) => type !== 'lost')).toEqual(others);
    void grant.verify();
    expect(lock.inspections.requests).toHaveLength(losses.length > 0 ? 1 : 2);
  });

  describe.each([
    { reply: 'that it is not held', answer: (lock: Opened['lock']) => lock.answerInspection(0) },
    {
      reply: 'a key of another type',
      answer: (lock: Opened['lock']) => lock.inspections.next().fail(new LockKeyTypeError('a list')),
    },
  ])('and is answered with $reply', ({ answer }) => {
    it('has lost nothing when its last hold was released meanwhile', async () => {
      const { lock, grant, first, emitted } = openGrant();
      const verifying = grant.verify();
      const releasing = first.release();
      lock.releases.next().answer({ outcome: 'released' });
      await releasing;
      answer(lock);
      await verifying;
      expect(emitted).toEqual([]);
      expect(grant.signal.aborted).toBe(false);
    });

    it('has lost nothing when its last hold waits for its turn to be released', async () => {
      const { lock, grant, first, emitted } = openGrant();
      const verifying = grant.verify();
      const extending = outcomeOf(grant.extend(first, TIMEOUT));
      ignored(first.release());
      answer(lock);
      await verifying;
      expect(emitted).toEqual([]);
      expect(extending.end).toBe('pending');
    });

    it('has lost nothing when all holds leave, whose lease a re-entry has kept until it failed', async () => {
      const { clock, lock, grant, first, newHold, joined, emitted } = openGrant();
      const inner = await joined();
      const verifying = grant.verify();
      const joining = outcomeOf(grant.reenter(newHold(), undefined));
      for (const hold of [first, inner]) ignored(hold.release());
      expect(grant.isJoinable).toBe(true);
      lock.holds.next().fail(unavailable());
      await clock.advance(0);
      expect([joining.end, grant.isJoinable]).toEqual(['LockUnavailableError', false]);
      answer(lock);
      await verifying;
      expect(emitted).toEqual([]);
      lock.answerHeld();
      await clock.advance(0);
      expect(lock.log).toEqual(['hold', 'inspect', 'hold', 'hold', 'release']);
    });

    it('is lost when only one of two holds was released meanwhile', async () => {
      const { lock, grant, joined, emitted } = openGrant();
      const inner = await joined();
      const verifying = grant.verify();
      const releasing = inner.release();
      lock.answerHeld();
      await releasing;
      answer(lock);
      await verifying;
      expect(lossesIn(emitted)).toEqual([GONE]);
    });

    it.each(['held', 'lost', 'a passing error'] as const)(
      'is lost once when a re-entry is answered after that with: %s',
      async (reply) => {
        const { clock, lock, grant, newHold, emitted } = openGrant();
        const verifying = grant.verify();
        const joining = outcomeOf(grant.reenter(newHold(), undefined));
        answer(lock);
        await verifying;
        expect(lossesIn(emitted)).toEqual([GONE]);
        HOLD_REPLIES[reply](lock);
        await clock.advance(TIMEOUT);
        expect(joining.end).toBe(reply === 'a passing error' ? 'LockUnavailableError' : 'LockLostError: gone');
        expect(lossesIn(emitted)).toHaveLength(1);
        expect(lock.renewals.requests).toEqual([]);
        expect(clock.pending).toBe(0);
      },
    );
  });
});

describe('A grant that the server does not find when it verifies', () => {
  it('has lost nothing when it was sealed meanwhile', async () => {
    const { lock, grant, emitted } = openGrant();
    const verifying = grant.verify();
    await grant.seal();
    lock.answerInspection(0);
    await verifying;
    expect(emitted).toEqual([]);
  });
});

describe('A grant that is sealed', () => {
  it('waits for the command that is on its way, and refuses what asks after it', async () => {
    const { clock, lock, grant, newHold } = openGrant();
    const before = outcomeOf(grant.reenter(newHold(), undefined));
    const sealing = outcomeOf(grant.seal());
    const after = outcomeOf(grant.reenter(newHold(), undefined));
    await clock.advance(0);
    expect([before.end, sealing.end, after.end]).toEqual(['pending', 'pending', 'pending']);
    lock.answerHeld();
    await clock.advance(0);
    expect([before.end, sealing.end, after.end]).toEqual([true, undefined, false]);
    expect(lock.log).toEqual(['hold']);
    expect(grant.isJoinable).toBe(false);
  });

  it.each(['confirmed', 'without effect', 'failed'])('waits for a renewal that is in flight: %s', async (reply) => {
    const { clock, lock, first, grant } = openGrant();
    await clock.advance(10_000);
    const releasing = outcomeOf(first.release());
    lock.releases.next().answer({ outcome: 'released' });
    const sealing = outcomeOf(grant.seal());
    await clock.advance(0);
    expect([releasing.end, sealing.end]).toEqual(['released', 'pending']);
    if (reply === 'failed') lock.renewals.next().fail(unavailable());
    else lock.answerRenewal(reply === 'confirmed');
    await clock.advance(0);
    expect(sealing.end).toBeUndefined();
    await clock.advance(TIMEOUT);
    expect(lock.log).toEqual(['renew', 'release']);
  });

  it.each(['released', 'failed'])('waits for a last release that is on its way: %s', async (reply) => {
    const { clock, lock, grant, first } = openGrant();
    const releasing = outcomeOf(first.release());
    const sealing = outcomeOf(grant.seal());
    await clock.advance(0);
    expect(sealing.end).toBe('pending');
    if (reply === 'failed') lock.releases.next().fail(unavailable());
    else lock.releases.next().answer({ outcome: 'released' });
    await clock.advance(0);
    expect(sealing.end).toBeUndefined();
    expect(releasing.end).toBe(reply === 'failed' ? 'LockUnavailableError' : 'released');
  });
});

describe('The watchdog', () => {
  it.each([
    { lease: undefined, renewsLeases: false, renewed: true, ending: false },
    { lease: 5000, renewsLeases: false, renewed: false, ending: true },
    { lease: 60_000, renewsLeases: false, renewed: false, ending: true },
    { lease: 60_000, renewsLeases: true, renewed: true, ending: true },
  ])(
    'renews a grant with a lease of $lease ms ($renewed), whose kind renews leases ($renewsLeases)',
    async ({ lease, renewsLeases, renewed, ending }) => {
      const { clock, lock, grant } = openGrant({ lease, kind: { renewsLeases } });
      expect([grant.isRenewed, grant.isEnding]).toEqual([renewed, ending]);
      expect(grant.neededLease).toBe(lease ?? TIMEOUT);
      await clock.advance(10_000);
      const sent = renewed ? ['renew'] : lease === 5000 ? [] : ['inspect'];
      expect(lock.log).toEqual(sent);
    },
  );

  it('does not renew a grant with only a hold with a lease left', async () => {
    const { clock, lock, grant, first, joined } = openGrant();
    await joined(20_000);
    expect([grant.isRenewed, grant.isEnding]).toEqual([true, false]);
    const leaving = first.release();
    lock.answerHeld();
    await leaving;
    expect([grant.isRenewed, grant.isEnding]).toEqual([false, true]);
    await clock.advance(TIMEOUT);
    expect(lock.renewals.requests).toEqual([]);
    expect(grant.signal.aborted).toBe(true);
  });

  it('renews a grant up to maxHold only, and knows 30 seconds before that it ends by itself', async () => {
    const { clock, lock, grant } = openGrant({ maxHold: 35_000 });
    expect(grant.isEnding).toBe(false);
    await clock.advance(5000);
    expect(grant.isEnding).toBe(true);
    expect(grant.neededLease).toBe(TIMEOUT);
    await clock.advance(5000);
    expect(grant.neededLease).toBe(25_000);
    expect(lock.renewals.requests).toMatchObject([[{ lease: 25_000 }]]);
  });
});

describe('A grant', () => {
  it('counts the time since it was granted in whole milliseconds', async () => {
    const { clock, grant } = openGrant();
    await clock.advance(1234.6);
    expect(grant.heldFor).toBe(1235);
  });
});
