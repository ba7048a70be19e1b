import { NameGroups, RecentTimes, RecentUse, type UseEvent } from '../../lib/integrations/dashboard/recent-use.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';

const PERIOD = 5000;
const PERIODS = 60;

describe('Recent times', () => {
  it('are summed up in periods, of which the oldest are forgotten', () => {
    const times = new RecentTimes();
    times.add(10, 0);
    times.add(30, PERIOD - 1);
    times.add(5, PERIOD);
    const shown = times.shown(PERIOD);
    expect(shown).toMatchObject({ average: 15, longest: 30 });
    expect(shown.bars).toHaveLength(PERIODS);
    expect(shown.bars.slice(-3)).toEqual([-1, 30, 5]);
    expect(times.count(PERIOD)).toBe(3);
    const later = times.shown(PERIOD * PERIODS);
    expect(later).toMatchObject({ average: 5, longest: 5 });
    expect(later.bars[0]).toBe(5);
    expect(times.count(PERIOD * PERIODS)).toBe(1);
    expect(times.shown(PERIOD * (PERIODS + 1))).toMatchObject({ average: 0, longest: 0 });
  });

  it('take no more room for many times than for few', () => {
    const times = new RecentTimes();
    for (let n = 0; n < 10_000; n += 1) times.add(n, n * PERIOD);
    expect((times as unknown as { periods: unknown[] }).periods).toHaveLength(PERIODS);
  });
});

describe('Recent use', () => {
  const of = {
    connection: 'default',
    kind: 'reentrant',
    lockName: 'app:order:7',
    template: undefined,
    method: undefined,
  } as const;

  let clock: ManualClock;
  let use: RecentUse;

  beforeEach(() => {
    clock = new ManualClock();
    use = new RecentUse(new NameGroups('app:'), clock);
  });

  const record = (...events: readonly UseEvent[]): void => events.forEach((event) => use.record(event));

  it('is counted by template, or by what names have in common', () => {
    const templated = { ...of, template: 'order:<0>', owner: 'o' };
    record(
      { ...of, owner: 'o', type: 'acquired', waited: 1, isContended: false },
      { ...templated, type: 'acquired', waited: 20, isContended: true },
      { ...templated, type: 'released', how: 'released', heldFor: 40 },
      { ...templated, type: 'handed-over', heldFor: 60, via: 'process' },
      { ...of, template: 'order:<0>', type: 'timed-out', waited: 100 },
      { ...of, template: 'order:<0>', type: 'conflict' },
      // The template is known by now.
      { ...of, owner: 'o', type: 'acquired', waited: 4, isContended: false },
    );
    const shown = use.shown();
    expect([...shown.keys()]).toEqual(['order:…', 'order:<0>']);
    expect(shown.get('order:…')).toMatchObject({ acquired: 1, contended: 0, refused: 0 });
    expect(shown.get('order:<0>')).toMatchObject({
      acquired: 2,
      contended: 1,
      refused: 2,
      waited: { average: 12, longest: 20 },
      held: { average: 50, longest: 60 },
    });
  });

  it('is forgotten when it is old', async () => {
    record({ ...of, type: 'conflict' });
    expect(use.shown().size).toBe(1);
    await clock.advance(PERIOD * (PERIODS + 1));
    expect(use.shown().size).toBe(0);
  });

  it('keeps the 100 groups that were used last', async () => {
    for (let n = 0; n < 100; n += 1) {
      record({ ...of, template: `t${n}:<0>`, type: 'conflict' });
      await clock.advance(1);
    }
    record({ ...of, template: 't0:<0>', type: 'conflict' }, { ...of, template: 'new:<0>', type: 'conflict' });
    const titles = [...use.shown().keys()];
    expect(titles).toHaveLength(100);
    expect(titles).toContain('t0:<0>');
    expect(titles).toContain('new:<0>');
    expect(titles).not.toContain('t1:<0>');
  });
});
