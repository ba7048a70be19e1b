import { LockLostError, LockKeyTypeError } from '../../lib/errors.js';
import { safeDuration } from '../../lib/watchdog/lease.js';
import { thrownBy } from '../kit/caught.js';
import { GONE, LEASE_OVER, lossesIn, openGrant, outcomeOf, TIMEOUT, unavailable } from './open-grant.js';

type Opened = ReturnType<typeof openGrant>;

const TOO_LONG = 'it was held for longer than maxHold, and the watchdog stopped renewing it';

interface Loss {
  readonly cause: string;
  readonly lease?: number;
  readonly maxHold?: number;
  readonly lose: (opened: Opened) => Promise<unknown>;
  readonly reason: string;
  readonly code: string;
  readonly remedy: string;
  /** Whether the server may still have the lock, so that the last release is sent. */
  readonly isReleased: boolean;
}

const LOSSES: readonly Loss[] = [
  {
    cause: 'its lease ends',
    lease: 1000,
    lose: ({ clock }) => clock.advance(safeDuration(1000)),
    reason: LEASE_OVER,
    code: 'lease-over',
    remedy: 'omit lease',
    isReleased: true,
  },
  {
    cause: 'renewals fail until its deadline',
    lose: async ({ clock, lock }) => {
      for (let passed = 0; passed < TIMEOUT; passed += 100) {
        await clock.advance(100);
        if (lock.renewals.pending > 0) lock.renewals.next().fail(unavailable());
      }
    },
    reason: LEASE_OVER,
    code: 'lease-over',
    remedy: 'no renewal was confirmed in time',
    isReleased: true,
  },
  {
    cause: 'it was held for as long as is allowed',
    maxHold: TIMEOUT,
    lose: async ({ clock, lock }) => {
      await clock.advance(10_000);
      if (lock.renewals.pending > 0) lock.answerRenewal(true);
      await clock.advance(20_000);
    },
    reason: TOO_LONG,
    code: 'held-too-long',
    remedy: 'shorten the work',
    isReleased: true,
  },
  {
    cause: 'a renewal does not find it',
    lose: async ({ clock, lock }) => {
      await clock.advance(10_000);
      lock.answerRenewal(false);
    },
    reason: GONE,
    code: 'gone',
    remedy: 'check for forceRelease()',
    isReleased: false,
  },
  {
    cause: 'an inspection does not find it',
    lose: async ({ lock, grant }) => {
      const verifying = grant.verify();
      lock.answerInspection(0);
      await verifying;
    },
    reason: GONE,
    code: 'gone',
    remedy: 'check for forceRelease()',
    isReleased: false,
  },
  {
    cause: 'an inspection finds something else under its name',
    lose: async ({ lock, grant }) => {
      const verifying = grant.verify();
      lock.inspections.next().fail(new LockKeyTypeError('a list'));
      await verifying;
    },
    reason: GONE,
    code: 'gone',
    remedy: 'check for forceRelease()',
    isReleased: false,
  },
];

describe.each(LOSSES)(
  'A grant that is lost because $cause',
  ({ lose, reason, code, remedy, isReleased, ...options }) => {
    const lost = async (): Promise<Opened> => {
      const opened = openGrant(options);
      await lose(opened);
      await opened.clock.advance(0);
      return opened;
    };

    it('emits that once, and its signal aborts with the error that assertHeld() throws', async () => {
      const { clock, grant, emitted } = await lost();
      await clock.advance(2 * TIMEOUT);
      expect(emitted.filter(({ type }) => type === 'lost')).toEqual([
        {
          type: 'lost',
          connection: 'default',
          kind: 'reentrant',
          template: undefined,
          lockName: 'n',
          owner: 'me:1',
          method: '@Locked A.b',
          heldFor: expect.any(Number),
          reason,
          remedy: expect.stringContaining(remedy),
        },
      ]);
      expect(grant.signal.reason).toBeInstanceOf(LockLostError);
      expect(grant.signal.reason).toMatchObject({
        message: expect.stringContaining(reason),
        details: { reason: code },
      });
      expect(thrownBy(() => grant.assertHeld(), LockLostError)).toBe(grant.signal.reason);
    });

    it(`${isReleased ? 'sends' : 'does not send'} the last release, which is expired`, async () => {
      const { clock, lock, first, emitted } = await lost();
      const releasing = outcomeOf(first.release());
      expect(lock.releases.pending).toBe(isReleased ? 1 : 0);
      if (isReleased) lock.releases.next().answer({ outcome: 'not-held' });
      await clock.advance(0);
      expect(releasing.end).toBe('expired');
      expect(lossesIn(emitted)).toEqual([reason]);
    });
  },
);

describe('A grant of the watchdog', () => {
  it('is lost by the clock without a timer or a reply', async () => {
    const { clock, grant, emitted } = openGrant();
    // The renewal during this time is never answered.
    await clock.advance(safeDuration(TIMEOUT));
    expect(emitted).toEqual([]);
    expect(() => grant.assertHeld()).toThrow(LEASE_OVER);
    expect(lossesIn(emitted)).toEqual([LEASE_OVER]);
    expect(grant.signal.aborted).toBe(true);
  });

  it('reports the end of renewals after the last one, without a release', async () => {
    const { clock, lock, emitted } = openGrant({ maxHold: 60_000 });
    for (let round = 1; round <= 4; round += 1) {
      await clock.advance(10_000);
      if (lock.renewals.pending > 0) lock.answerRenewal(true);
    }
    expect(emitted).toEqual([
      {
        type: 'max-hold-reached',
        connection: 'default',
        kind: 'reentrant',
        template: undefined,
        lockName: 'n',
        owner: 'me:1',
        method: '@Locked A.b',
        heldFor: 40_000,
        maxHold: 60_000,
      },
    ]);
    await clock.advance(20_000);
    expect(lossesIn(emitted)).toEqual([TOO_LONG]);
    expect(lock.releases.requests).toEqual([]);
  });
});

describe('The loss of a grant after maxHold was reached', () => {
  /** A grant at 40 seconds of 60. The watchdog has reported that it will not renew it any more. */
  const overdue = async (): Promise<Opened> => {
    const opened = openGrant({ maxHold: 60_000 });
    for (let round = 1; round <= 4; round += 1) {
      await opened.clock.advance(10_000);
      if (opened.lock.renewals.pending > 0) opened.lock.answerRenewal(true);
    }
    expect(opened.emitted.map(({ type }) => type)).toEqual(['max-hold-reached']);
    return opened;
  };

  it('names maxHold if a hold with a lease has left before', async () => {
    const { clock, lock, joined, emitted } = await overdue();
    const inner = await joined(15_000);
    const leaving = inner.release();
    lock.answerHeld();
    await leaving;
    await clock.advance(20_000);
    expect(lossesIn(emitted)).toEqual([TOO_LONG]);
  });
});
