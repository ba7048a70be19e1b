import { type AnswerTo, OrphanReleaserBench, PASSING, PERMANENT } from './orphan-releaser-bench.js';
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
    const bench = new OrphanReleaserBench();
    const { clock, sentAt, givenUp } = bench;
    bench.release({ notAfter });
    answer(await bench.next());
    await clock.advance(next - 1);
    expect(sentAt).toEqual([0]);
    await clock.advance(1);
    expect(sentAt).toEqual([0, next]);
    (await bench.next()).confirm(notAfter + 1);
    await clock.advance(60_000);
    expect(sentAt).toEqual([0, next]);
    expect(givenUp).toEqual([]);
    expect(bench.isAtRest).toBe(true);
  });

  it('is not sent again once it was confirmed after the acquisition could take effect', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, sentAt, givenUp } = bench;
    bench.release({ notAfter: 1000 });
    (await bench.next()).confirm(1001);
    await clock.advance(60_000);
    expect(sentAt).toEqual([0]);
    expect(givenUp).toEqual([]);
    expect(bench.isAtRest).toBe(true);
  });

  it.each([
    ['a permanent refusal', PERMANENT],
    ['an error of the program', new TypeError('broken')],
  ])('is given up after %s, which is reported', async (_, error) => {
    const bench = new OrphanReleaserBench();
    const { clock, sentAt, givenUp } = bench;
    await bench.failOnce(error);
    await clock.advance(60_000);
    expect(sentAt).toEqual([0]);
    expect(givenUp).toEqual([{ name: 'n', error, at: 0 }]);
    expect(bench.isAtRest).toBe(true);
  });

  it.each([
    [0, 100],
    [1000, 100],
    [3000, 300],
    [10_000, 1000],
    [60_000, 1000],
  ])('that failed after %i ms is sent again %i ms later', async (spent, pause) => {
    const bench = new OrphanReleaserBench();
    const { clock, sentAt } = bench;
    bench.release({ lease: Number.POSITIVE_INFINITY });
    const release = await bench.next();
    await clock.advance(spent);
    release.fail(PASSING);
    await clock.advance(pause);
    expect(sentAt).toEqual([0, spent + pause]);
  });

  // The end is at 1350 ms: the lease, 100 ms for the acquisition to begin, and a quarter of the lease for clocks that
  // differ.
  it.each([
    ['again', 'would still be before', 1200, [0, 1320]],
    ['no more', 'would be after', 1250, [0]],
  ])('is sent %s if that %s the end of the lease of the acquisition', async (_again, _end, failedAt, expected) => {
    const bench = new OrphanReleaserBench();
    const { clock, sentAt, givenUp } = bench;
    bench.release({ lease: 1000 });
    const release = await bench.next();
    await clock.advance(failedAt);
    release.fail(PASSING);
    await clock.advance(149);
    expect(sentAt).toEqual(expected);
    if (expected.length > 1) (await bench.next()).fail(PASSING);
    await clock.advance(60_000);
    expect(sentAt).toEqual(expected);
    expect(givenUp).toMatchObject([{ name: 'n', error: PASSING }]);
    expect(bench.isAtRest).toBe(true);
  });

  it('that is confirmed only after the lease was over leaves nothing to report', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, givenUp } = bench;
    bench.release({ lease: 1000 });
    const release = await bench.next();
    await clock.advance(5000);
    release.confirm(5000);
    await clock.advance(0);
    expect(givenUp).toEqual([]);
  });

  it('goes on for one acquisition while that of another is on its way, failed or was confirmed', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, open, givenUp } = bench;
    for (const name of ['pending', 'refused', 'confirmed', 'broken']) bench.release({ name });
    const [pending, refused, confirmed, broken] = [
      await bench.next(),
      await bench.next(),
      await bench.next(),
      await bench.next(),
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
