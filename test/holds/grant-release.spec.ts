import { GONE, lossesIn, openGrant, outcomeOf, TIMEOUT, unavailable } from './open-grant.js';
import { RecordedWaiters } from './recorded-waiters.js';

type Opened = ReturnType<typeof openGrant>;
const openWith = (waiters: RecordedWaiters): Opened => openGrant({ kind: { handOver: waiters } });

describe('The last release of a grant', () => {
  it.each([
    { reply: { outcome: 'released', heard: 3 }, end: 'released', losses: [] },
    { reply: { outcome: 'released' }, end: 'released', losses: [] },
    { reply: { outcome: 'not-held' }, end: 'expired', losses: [GONE] },
    { reply: unavailable(), end: 'LockUnavailableError', losses: [] },
    { reply: unavailable(true), end: 'LockUnavailableError', losses: [] },
  ] as const)('that no waiter takes ends with $end; waiters get the reply', async (row) => {
    const waiters = new RecordedWaiters();
    const { clock, lock, first, grant, emitted, services } = openWith(waiters);
    const empty = outcomeOf(services.grants.whenEmpty());
    const releasing = outcomeOf(first.release());
    expect(waiters.calls).toEqual([
      ['handOver', 'n', 'me:1'],
      ['beforeRelease', 'n'],
    ]);
    await clock.advance(0);
    expect([releasing.end, empty.end, services.grants.size]).toEqual(['pending', 'pending', 1]);
    if (row.reply instanceof Error) lock.releases.next().fail(row.reply);
    else lock.releases.next().answer(row.reply);
    await clock.advance(0);
    expect(releasing.end).toBe(row.end);
    expect(empty.end).toBeUndefined();
    expect(waiters.calls.slice(2)).toEqual([['afterRelease', 'n', row.reply instanceof Error ? undefined : row.reply]]);
    expect(lossesIn(emitted)).toEqual(row.losses);
    expect(grant.signal.aborted).toBe(row.losses.length > 0);
  });

  it.each([
    { happen: 'gone', log: [], end: 'expired' },
    { happen: 'lease-over', log: ['release'], end: 'expired' },
  ] as const)('of a grant that was lost ($happen) sends $log and is expired', async ({ happen, log, end }) => {
    const { clock, lock, grant, first, emitted } = openGrant();
    grant.lease.lose(happen);
    const releasing = outcomeOf(first.release());
    expect(lock.log).toEqual(log);
    if (log.length > 0) lock.releases.next().answer({ outcome: 'released' });
    await clock.advance(0);
    expect(releasing.end).toBe(end);
    expect(lossesIn(emitted)).toHaveLength(1);
  });

  it.each([
    { lease: 5000, after: 1000, told: TIMEOUT },
    { lease: 60_000, after: 10_000, told: 50_000 },
    { lease: 60_000, after: 40_000, told: TIMEOUT },
  ])('with a lease of $lease ms says after $after ms that the server may hold it for $told ms', async (row) => {
    const { clock, lock, first } = openGrant({ lease: row.lease });
    await clock.advance(row.after);
    void first.release().catch(() => {});
    expect(lock.releases.requests).toEqual([{ name: 'n', owner: 'me:1', lease: row.told }]);
  });

  it('says how long the longest lease may last that was ever requested, also by a command that failed', async () => {
    const { clock, lock, grant, first } = openGrant();
    const limiting = grant.limit(first, 90_000).catch(() => {});
    lock.holds.next().fail(unavailable());
    await limiting;
    await clock.advance(10_000);
    const shortened = grant.limit(first, 5000);
    lock.answerHeld();
    await shortened;
    void first.release().catch(() => {});
    expect(lock.releases.requests).toMatchObject([{ lease: 80_000 }]);
  });
});

describe('The last release of a grant before its minimum hold has passed', () => {
  it.each([
    { reply: true, end: 'still-held', losses: [] },
    { reply: false, end: 'expired', losses: [GONE] },
    { reply: unavailable(), end: 'LockUnavailableError', losses: [] },
  ] as const)('leaves the lock behind, and ends with $end', async ({ reply, end, losses }) => {
    const waiters = new RecordedWaiters(true);
    const { clock, lock, grant, first, emitted, services } = openWith(waiters);
    grant.holds.holdAtLeast(5000);
    await clock.advance(2000);
    const releasing = outcomeOf(first.release());
    expect(lock.leavings.requests).toEqual([{ name: 'n', owner: 'me:1', lease: TIMEOUT, keep: 3000 }]);
    await clock.advance(0);
    expect([releasing.end, services.grants.size]).toEqual(['pending', 1]);
    if (reply instanceof Error) lock.leavings.next().fail(reply);
    else lock.leavings.next().answer(reply);
    await clock.advance(0);
    expect(releasing.end).toBe(end);
    expect(lossesIn(emitted)).toEqual(losses);
    expect(services.grants.size).toBe(0);
    expect(waiters.calls).toEqual([]);
    await clock.advance(TIMEOUT);
    expect(lock.log).toEqual(['leaveBehind']);
    expect(clock.pending).toBe(0);
  });
});
