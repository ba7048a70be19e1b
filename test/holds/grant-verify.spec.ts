import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { LockKeyTypeError } from '../../lib/errors.js';
import { GONE, lossesIn, openGrant, outcomeOf, TIMEOUT, unavailable } from './open-grant.js';

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

  describe('because others ended a hold', () => {
    it.each([
      ['an inspection', ({ grant }: Opened) => ignored(grant.verify()), ({ lock }: Opened) => lock.answerInspection(1)],
      [
        'a re-entry',
        ({ grant, newHold }: Opened) => ignored(grant.reenter(newHold(), undefined)),
        ({ lock }: Opened) => lock.answerHeld(),
      ],
    ] as const)('asks after %s in flight, which may have been executed before', async (_, act, answer) => {
      const opened = openGrant();
      const { grant, lock, emitted } = opened;
      act(opened);
      const asked = Promise.all([grant.verifyAfterCommands(), grant.verifyAfterCommands()]);
      await turnOfTheLoop();
      answer(opened);
      await turnOfTheLoop();
      lock.answerInspection(0);
      await asked;
      expect(lossesIn(emitted)).toEqual([GONE]);
    });

    it('asks nothing once it is lost', async () => {
      const { grant, lock } = openGrant();
      grant.lease.lose('gone');
      await grant.verifyAfterCommands();
      expect(lock.inspections.requests).toHaveLength(0);
    });
  });
});
