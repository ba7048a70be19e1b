import { UnknownOutcomes } from '../../lib/backend/commands/unknown-outcomes.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { settlementOf } from './answers-in-order.js';

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
