import type { OrphanedAcquisition } from '../../lib/backend/commands/orphan-releaser.js';
import { settlementOf } from './answers-in-order.js';
import { type AnswerTo, OrphanReleaserBench, PASSING, PERMANENT } from './orphan-releaser-bench.js';

describe('An orphaned acquisition whose owner acquires again', () => {
  const isWanted = ({ name }: OrphanedAcquisition): boolean => name === 'wanted';

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
});

describe('The end of the releases', () => {
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
});
