import { openGrant, outcomeOf, TIMEOUT, unavailable } from './open-grant.js';
import { RecordedWaiters } from './recorded-waiters.js';

type Opened = ReturnType<typeof openGrant>;
type History = readonly [before: string, act: (opened: Opened) => unknown];

const HANDED_OVER: readonly History[] = [
  ['nothing', () => {}],
  ['a renewal that was confirmed', ({ clock, lock }) => clock.advance(10_000).then(() => lock.answerRenewal(true))],
  [
    'a renewal that failed',
    ({ clock, lock }) => clock.advance(10_000).then(() => lock.renewals.next().fail(unavailable())),
  ],
  [
    'an inspection that found it',
    ({ lock, grant }) => {
      void grant.verify();
      lock.answerInspection(1);
    },
  ],
  [
    'an inspection that failed',
    ({ lock, grant }) => {
      void grant.verify();
      lock.inspections.next().fail(unavailable());
    },
  ],
  [
    'a minimum hold that has passed',
    ({ clock, grant }) => {
      grant.holds.holdAtLeast(1000);
      return clock.advance(1000);
    },
  ],
];

const RELEASED: readonly History[] = [
  [
    'a re-entry and its release',
    async ({ lock, joined }) => {
      const releasing = (await joined()).release();
      lock.answerHeld();
      await releasing;
    },
  ],
  [
    'a re-entry that failed',
    ({ lock, grant, newHold }) => {
      const joining = grant.reenter(newHold(), undefined).catch(() => {});
      lock.holds.next().fail(unavailable());
      return joining;
    },
  ],
  [
    'an extension',
    ({ lock, grant, first }) => {
      const extending = grant.extend(first, TIMEOUT);
      lock.answerHeld();
      return extending;
    },
  ],
  ['an inspection that is on its way', ({ grant }) => void grant.verify()],
  ['a renewal that is on its way', ({ clock }) => clock.advance(10_000)],
  ['the end of its lease', ({ grant }) => grant.lease.lose('lease-over')],
];

const openWith = (waiters: RecordedWaiters): Opened => openGrant({ kind: { handOver: waiters } });

describe('The last release of a grant', () => {
  it.each(HANDED_OVER)('after %s passes the lock to a waiter of the process without a command', async (_, act) => {
    const waiters = new RecordedWaiters(true);
    const opened = openWith(waiters);
    await act(opened);
    await opened.clock.advance(0);
    const releasing = outcomeOf(opened.first.release());
    await opened.clock.advance(0);
    expect(releasing.end).toBe('released');
    expect(waiters.calls).toEqual([['handOver', 'n', 'me:1']]);
    expect(opened.lock.releases.requests).toEqual([]);
    expect(opened.services.grants.size).toBe(0);
    expect(opened.grant.isJoinable).toBe(false);
  });

  it.each(RELEASED)('after %s is sent to the server, and no waiter is passed the lock', async (_, act) => {
    const waiters = new RecordedWaiters(true);
    const opened = openWith(waiters);
    await act(opened);
    void opened.first.release().catch(() => {});
    expect(waiters.calls).toEqual([['beforeRelease', 'n']]);
    expect(opened.lock.releases.requests).toHaveLength(1);
  });
});
