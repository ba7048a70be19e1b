import { UnknownOutcomes } from '../../lib/backend/redis/commands/unknown-outcomes.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';
import { settlementOf } from './answers-in-order.js';
import { type AnswerTo, AskedReleases, PASSING, PERMANENT } from './asked-releases.js';
import { unavailable } from './scripted-commands.js';

describe('The release of an orphaned acquisition', () => {
  it.each<readonly [answer: string, next: number, notAfter: number, AnswerTo]>([
    ['at the last instant at which the acquisition could take effect', 1, 1000, ({ confirm }) => confirm(1000)],
    ['shortly before that instant', 31, 1000, ({ confirm }) => confirm(970)],
    ['long before that instant', 100, 1000, ({ confirm }) => confirm(0)],
    ['by a clock of the server that was set back by an hour', 100, 1000, ({ confirm }) => confirm(-3_600_000)],
    ['by a passing failure', 100, 1000, ({ fail }) => fail(PASSING)],
    ['by a failure of unknown outcome', 100, 0, ({ fail }) => fail(unavailable('unknown'))],
    ['by a failure to send it', 100, 0, ({ fail }) => fail(unavailable('not-sent'))],
  ])('is sent again if it was answered %s, %i ms later', async (_, next, notAfter, answer) => {
    const releases = new AskedReleases();
    const { clock, sentAt, givenUp } = releases;
    releases.undo({ notAfter });
    answer(await releases.next());
    await clock.advance(next - 1);
    expect(sentAt).toEqual([0]);
    await clock.advance(1);
    expect(sentAt).toEqual([0, next]);
    (await releases.next()).confirm(notAfter + 1);
    await clock.advance(60_000);
    expect(sentAt).toEqual([0, next]);
    expect(givenUp).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('is not sent again once it was confirmed after the acquisition could take effect', async () => {
    const releases = new AskedReleases();
    const { clock, sentAt, givenUp } = releases;
    releases.undo({ notAfter: 1000 });
    (await releases.next()).confirm(1001);
    await clock.advance(60_000);
    expect(sentAt).toEqual([0]);
    expect(givenUp).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['a permanent refusal', PERMANENT],
    ['an error of the program', new TypeError('broken')],
  ])('is given up after %s, which is reported', async (_, error) => {
    const releases = new AskedReleases();
    const { clock, sentAt, givenUp } = releases;
    releases.undo();
    (await releases.next()).fail(error);
    await clock.advance(60_000);
    expect(sentAt).toEqual([0]);
    expect(givenUp).toEqual([{ name: 'n', error, at: 0 }]);
    expect(clock.pending).toBe(0);
  });

  it.each([
    [0, 100],
    [1000, 100],
    [3000, 300],
    [10_000, 1000],
    [60_000, 1000],
  ])('that failed after %i ms is sent again %i ms later', async (spent, pause) => {
    const releases = new AskedReleases();
    const { clock, sentAt } = releases;
    releases.undo({ lease: Number.POSITIVE_INFINITY });
    const release = await releases.next();
    await clock.advance(spent);
    release.fail(PASSING);
    await clock.advance(pause);
    expect(sentAt).toEqual([0, spent + pause]);
  });

  // The lease, 100 ms for the acquisition to begin, and a quarter of the lease for clocks that differ: 1350 ms.
  it.each([
    ['again', 'would still be before', 1200, [0, 1320]],
    ['no more', 'would be after', 1250, [0]],
  ])('is sent %s if that %s the end of the lease of the acquisition', async (_again, _end, failedAt, expected) => {
    const releases = new AskedReleases();
    const { clock, sentAt, givenUp } = releases;
    releases.undo({ lease: 1000 });
    const release = await releases.next();
    await clock.advance(failedAt);
    release.fail(PASSING);
    await clock.advance(149);
    expect(sentAt).toEqual(expected);
    if (expected.length > 1) (await releases.next()).fail(PASSING);
    await clock.advance(60_000);
    expect(sentAt).toEqual(expected);
    expect(givenUp).toMatchObject([{ name: 'n', error: PASSING }]);
    expect(clock.pending).toBe(0);
  });

  it('that is confirmed only after the lease was over leaves nothing to report', async () => {
    const releases = new AskedReleases();
    const { clock, givenUp } = releases;
    releases.undo({ lease: 1000 });
    const release = await releases.next();
    await clock.advance(5000);
    release.confirm(5000);
    await clock.advance(0);
    expect(givenUp).toEqual([]);
  });

  it('goes on for one acquisition while that of another is on its way, failed or was confirmed', async () => {
    const releases = new AskedReleases();
    const { clock, open, givenUp } = releases;
    for (const name of ['pending', 'refused', 'confirmed', 'broken']) releases.undo({ name });
    const [pending, refused, confirmed, broken] = [
      await releases.next(),
      await releases.next(),
      await releases.next(),
      await releases.next(),
    ];
    refused.fail(PASSING);
    confirmed.confirm(2000);
    broken.fail(PERMANENT);
    await clock.advance(100);
    expect(open).toMatchObject([{ name: 'refused', at: 100 }]);
    expect(givenUp).toMatchObject([{ name: 'broken' }]);
    pending.confirm(0);
    await clock.advance(100);
    expect(open).toMatchObject([
      { name: 'refused', at: 100 },
      { name: 'pending', at: 200 },
    ]);
  });
});

describe('The wait for renewals of unknown outcome', () => {
  const setUp = () => {
    const clock = new ManualClock();
    return { clock, outcomes: new UnknownOutcomes(new MonotonicScheduler(clock, () => {})) };
  };

  it.each<readonly [deadlines: string, readonly number[], ends: number]>([
    ['of one renewal', [1000], 1001],
    ['of two renewals with one deadline', [1000, 1000], 1001],
    ['of two renewals, the later one reported last', [1000, 1500], 1501],
    ['of two renewals, the later one reported first', [1500, 1000], 1501],
    ['of a renewal whose deadline is over by the millisecond', [400], 401],
    ['of a renewal whose deadline is long over', [100], 400],
  ])('ends when the server refuses all of them: %s', async (_, deadlines, ends) => {
    const { clock, outcomes } = setUp();
    for (const deadline of deadlines) outcomes.add(['a'], deadline);
    await clock.advance(400);
    const settled = settlementOf(outcomes.settled('a'), clock);
    await clock.advance(5000);
    expect(settled).toMatchObject([{ at: ends }]);
    expect(clock.pending).toBe(0);
  });

  it('waits for a renewal that becomes unknown during the wait for another one', async () => {
    const { clock, outcomes } = setUp();
    outcomes.add(['a'], 1000);
    const settled = settlementOf(outcomes.settled('a'), clock);
    await clock.advance(500);
    outcomes.add(['a'], 1300);
    await clock.advance(5000);
    expect(settled).toMatchObject([{ at: 1301 }]);
  });

  it('is none for an owner without such renewals', async () => {
    const { clock, outcomes } = setUp();
    outcomes.add(['a', 'b'], 1000);
    const settled = ['a', 'b', 'c'].map((owner) => settlementOf(outcomes.settled(owner), clock));
    await clock.advance(0);
    expect(settled).toMatchObject([[], [], [{ at: 0 }]]);
    await clock.advance(1001);
    expect(settled).toMatchObject([[{ at: 1001 }], [{ at: 1001 }], [{ at: 0 }]]);
  });

  it('goes on while renewals of other owners are reported, and is none once its own deadline is over', async () => {
    const { clock, outcomes } = setUp();
    outcomes.add(['a'], 1000);
    const settled = settlementOf(outcomes.settled('a'), clock);
    await clock.advance(999);
    outcomes.add(['b'], 3000);
    const joined = settlementOf(outcomes.settled('a'), clock);
    await clock.advance(500);
    expect([settled, joined]).toMatchObject([[{ at: 1001 }], [{ at: 1001 }]]);
    outcomes.add(['b'], 3000);
    const again = settlementOf(outcomes.settled('a'), clock);
    await clock.advance(0);
    expect(again).toMatchObject([{ at: 1499 }]);
  });

  it('is for the new deadline where the owner has a new renewal after an old one was settled', async () => {
    const { clock, outcomes } = setUp();
    outcomes.add(['a'], 100);
    await clock.advance(2000);
    outcomes.add(['a'], 3000);
    const settled = settlementOf(outcomes.settled('a'), clock);
    await clock.advance(5000);
    expect(settled).toMatchObject([{ at: 3001 }]);
  });
});
