import type { OrphanedAcquisition } from '../../lib/backend/commands/orphan-releaser.js';
import { settlementOf } from './answers-in-order.js';
import { type AnswerTo, OrphanReleaserBench, CAUSE, PASSING, PERMANENT } from './orphan-releaser-bench.js';

describe('An orphaned acquisition whose owner acquires again', () => {
  const isWanted = ({ name }: OrphanedAcquisition): boolean => name === 'wanted';

  it('is not released any further during the pause before the next release', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser, sentAt, givenUp } = bench;
    await bench.failOnce(PASSING, 'wanted');
    await clock.advance(50);
    const abandoned = settlementOf(releaser.abandon(isWanted), clock);
    await clock.advance(0);
    expect(abandoned).toMatchObject([{ at: 50 }]);
    expect(bench.isAtRest).toBe(true);
    await clock.advance(60_000);
    expect(sentAt).toEqual([0]);
    expect(givenUp).toEqual([]);
    expect(bench.isAtRest).toBe(true);
  });

  it.each<readonly [answer: string, AnswerTo]>([
    ['confirmed', ({ confirm }) => confirm(2000)],
    ['confirmed too early', ({ confirm }) => confirm(500)],
    ['refused for now', ({ fail }) => fail(PASSING)],
    ['refused for good', ({ fail }) => fail(PERMANENT)],
  ])('is not released any further after the reply to the release in flight, here: %s', async (_, answer) => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser, sentAt, givenUp } = bench;
    bench.release({ name: 'wanted' });
    const release = await bench.next();
    const abandoned = settlementOf(releaser.abandon(isWanted), clock);
    await clock.advance(700);
    expect(abandoned).toEqual([]);
    answer(release);
    await clock.advance(60_000);
    expect(abandoned).toHaveLength(1);
    expect(sentAt).toEqual([0]);
    expect(givenUp).toEqual([]);
    expect(bench.isAtRest).toBe(true);
  });

  it('is not released any further, without a pause, once the release in flight has failed', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser } = bench;
    bench.release({ name: 'wanted' });
    const release = await bench.next();
    const abandoned = settlementOf(releaser.abandon(isWanted), clock);
    await clock.advance(700);
    release.fail(PASSING);
    await clock.advance(0);
    expect(abandoned).toMatchObject([{ at: 700 }]);
    expect(bench.isAtRest).toBe(true);
  });

  it('does not stop the release of others', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser, open } = bench;
    bench.release({ name: 'wanted' });
    await bench.failOnce(PASSING, 'other');
    (await bench.next()).fail(PASSING);
    await clock.advance(0);
    await releaser.abandon(isWanted);
    await clock.advance(100);
    expect(open).toMatchObject([{ name: 'other', at: 100 }]);
  });

  it('is released anew where it is orphaned once more', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser, sentAt } = bench;
    await bench.failOnce(PASSING, 'wanted');
    await clock.advance(10);
    await releaser.abandon(isWanted);
    bench.release({ name: 'wanted' });
    (await bench.next()).confirm(2000);
    expect(sentAt).toEqual([0, 10]);
  });

  it('has nothing to wait for if it was already released', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser } = bench;
    bench.release({ name: 'wanted' });
    (await bench.next()).confirm(2000);
    await clock.advance(0);
    const abandoned = settlementOf(releaser.abandon(isWanted), clock);
    await clock.advance(0);
    expect(abandoned).toHaveLength(1);
  });
});

describe('The end of the releases', () => {
  it('comes at once if nothing is to be released; later acquisitions are given up without a release', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser, sentAt, givenUp } = bench;
    const finished = settlementOf(releaser.finish(500), clock);
    await clock.advance(0);
    expect(finished).toMatchObject([{ at: 0 }]);
    bench.release();
    await clock.advance(60_000);
    expect(sentAt).toEqual([]);
    expect(givenUp).toEqual([{ name: 'n', error: CAUSE, at: 0 }]);
  });

  it('ends a pause, since there may be no time for it, and comes with the last confirmation', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser, sentAt, givenUp } = bench;
    await bench.failOnce(PASSING);
    await clock.advance(10);
    const finished = settlementOf(releaser.finish(500), clock);
    const release = await bench.next();
    await clock.advance(20);
    expect(finished).toEqual([]);
    release.confirm(2000);
    await clock.advance(0);
    expect(finished).toMatchObject([{ at: 30 }]);
    expect(sentAt).toEqual([0, 10]);
    expect(givenUp).toEqual([]);
  });

  it('gives up failing releases after its time, with the last error, and reports each once', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser, sentAt, givenUp } = bench;
    bench.answer = ({ fail }) => fail(PASSING);
    bench.release();
    const finished = settlementOf(releaser.finish(250), clock);
    await clock.advance(60_000);
    expect(finished).toMatchObject([{ at: 250 }]);
    expect(sentAt).toEqual([0, 100, 200]);
    expect(givenUp).toEqual([{ name: 'n', error: PASSING, at: 250 }]);
    expect(bench.isAtRest).toBe(true);
  });

  it('reports no error of a release before the last, which was confirmed too early', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser, givenUp } = bench;
    await bench.failOnce(PASSING);
    await clock.advance(100);
    (await bench.next()).confirm(500);
    const finished = settlementOf(releaser.finish(50), clock);
    await clock.advance(60_000);
    expect(finished).toMatchObject([{ at: 150 }]);
    expect(givenUp).toEqual([{ name: 'n', error: CAUSE, at: 150 }]);
  });

  it.each<readonly [answer: string, AnswerTo]>([
    ['confirmed', ({ confirm }) => confirm(2000)],
    ['confirmed too early', ({ confirm }) => confirm(500)],
    ['refused for now', ({ fail }) => fail(PASSING)],
    ['refused for good', ({ fail }) => fail(PERMANENT)],
  ])('reports a release without an answer once, though it is answered later: %s', async (_, answer) => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser, sentAt, givenUp } = bench;
    bench.release();
    const release = await bench.next();
    const finished = settlementOf(releaser.finish(250), clock);
    await clock.advance(600);
    expect(finished).toMatchObject([{ at: 250 }]);
    answer(release);
    await clock.advance(60_000);
    expect(sentAt).toEqual([0]);
    expect(givenUp).toEqual([{ name: 'n', error: CAUSE, at: 250 }]);
    expect(bench.isAtRest).toBe(true);
  });
});

describe('The end of background releases', () => {
  it('waits for releases that begin meanwhile, and leaves no timer behind', async () => {
    const bench = new OrphanReleaserBench();
    const { clock, releaser, givenUp } = bench;
    bench.release({ name: 'first', notAfter: 0 });
    const first = await bench.next();
    const finished = settlementOf(releaser.finish(500), clock);
    await clock.advance(10);
    bench.release({ name: 'second', notAfter: 0 });
    const second = await bench.next();
    first.confirm(1);
    await clock.advance(20);
    expect(finished).toEqual([]);
    second.confirm(1);
    await clock.advance(0);
    expect(finished).toMatchObject([{ at: 30 }]);
    expect(givenUp).toEqual([]);
    expect(bench.isAtRest).toBe(true);
  });
});
