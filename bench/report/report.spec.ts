import { ratio, type Row } from '../figures/results.js';
import type { Scenario } from '../scenarios/scenario.js';
import { judge, verdictText } from './bars.js';
import { barsSections, disturbanceText, judgedResults } from './report.js';
import { markdownTable, scenarioTable, spreadText } from './table.js';

const roles = {
  ...{ ours: 'ours', limit: 'raw', redisson: 'redisson', before: 'before', references: ['reference'] },
  ...{ unobserved: 'unobserved', observed: ['observed'] },
};

const row = (library: string, ...values: number[]): Row => ({
  ...{ library, title: library, size: 0, errors: [] },
  rounds: values.map((speed) => ({ speed })),
});

const larger: Row = { ...row('ours', 40, 45), size: 9 };
const rows = [
  row('raw', 100, 200),
  row('ours', 80, 180),
  row('before', 40, 60),
  row('reference', 900, 900),
  row('slow', 10, 10),
  row('redisson', 40, 20),
  larger,
];

const scenario: Scenario = {
  ...{ id: 'X', title: 'x', method: '' },
  metrics: [{ key: 'speed', title: 'speed', best: 'highest', overLimit: true }],
  bars: [
    { text: 'near the limit', metric: 'speed', over: 'limit', atLeast: 0.9 },
    { text: 'ahead of the best', metric: 'speed', over: 'best peer', atLeast: 2 },
    { text: 'not too fast', metric: 'speed', atMost: 130 },
    { text: 'standing still', metric: 'speed', atMost: 0 },
    { text: 'of another size', metric: 'speed', atLeast: 1, size: 7 },
    { text: 'ahead of the earlier one', metric: 'speed', over: 'before', atLeast: 2 },
    { text: 'as fast when larger', metric: 'speed', over: { size: 0 }, atLeast: 0.5, size: 9 },
  ],
  takesPart: () => true,
  measure: () => Promise.resolve({}),
};

describe('a table', () => {
  it('has columns as wide as their text', () => {
    expect(markdownTable(['a', 'long'], [['1,000', '2']])).toBe(
      ['| a     | long |', '| ----- | ---- |', '| 1,000 | 2    |'].join('\n'),
    );
  });

  it('shows a spread only where there is one', () => {
    expect(spreadText({ median: 1234.5, min: 1000, max: 2000 }, 1)).toBe('1,234.5 (1,000.0..2,000.0)');
    expect(spreadText({ median: 0, min: 0, max: 0 }, 0)).toBe('0');
    expect(spreadText(undefined, 0)).toBe('–');
  });

  it('takes ratios within a round', () => {
    expect(scenarioTable(scenario, rows, roles)).toContain('| ours      | 130 (80..180)  | 0.85 (0.80..0.90)');
  });

  it('has no ratio of a round that failed', () => {
    const failed = { ...row('ours', 80), rounds: [{}, { speed: 180 }] };
    expect(ratio(failed, row('raw', 100, 200), 'speed')).toEqual({ median: 0.9, min: 0.9, max: 0.9 });
  });
});

describe('judge', () => {
  const [limit, best, itself, nothing, absent, earlier, flat] = judge(scenario, rows, roles);

  it('reports by how much a bar was missed', () => {
    expect(limit).toMatchObject({ against: 'raw: 150 (100..200)' });
    expect(limit?.missedBy).toBeCloseTo(5.56, 2);
    expect(limit && verdictText(limit)).toBe('missed by 5.6 %');
  });

  it('takes for the best peer neither this library nor the limit', () => {
    expect(best).toMatchObject({ against: 'redisson: 30 (20..40)', missedBy: 0, value: { min: 2, max: 9 } });
    expect(best && verdictText(best)).toBe('met');
  });

  it('compares with this library as it was, and of another size', () => {
    expect(earlier).toMatchObject({ against: 'before: 50 (40..60)', missedBy: 0, value: { min: 2, max: 3 } });
    expect(flat).toMatchObject({ against: 'ours: 130 (80..180)', value: { min: 0.25, max: 0.5 } });
    expect(flat && verdictText(flat)).toBe('missed by 25 %');
  });

  it('judges values as they are', () => {
    expect(itself).toMatchObject({ missedBy: 0, against: '' });
  });

  it('has no percentage of a bar that allows nothing', () => {
    expect(nothing && verdictText(nothing)).toBe('missed by 130');
  });

  it('does not judge missing measurements', () => {
    expect(absent && verdictText(absent)).toBe('not measured');
  });
});

describe('the bars of a run', () => {
  const node = { version: 'v20.1.0', path: '' };
  const unpinned: Scenario = { ...scenario, id: 'Y' };
  const setUps = [
    { setUp: { node, placement: 'pinned' as const }, measured: [{ scenario, rows }] },
    {
      setUp: { node, placement: 'free' as const },
      measured: [
        { scenario, rows },
        { scenario: unpinned, rows },
      ],
    },
  ];

  it('are judged by pinned processes where those were measured', () => {
    const judged = judgedResults(setUps).map(({ setUp, measured }) => [
      setUp.placement,
      ...measured.map(({ scenario: { id } }) => id),
    ]);
    expect(judged).toEqual([
      ['pinned', 'X'],
      ['free', 'Y'],
    ]);
    expect(judgedResults(setUps.slice(1))[0]?.measured).toHaveLength(2);
  });

  it('are counted', () => {
    const [heading] = barsSections({ setUps, roles });
    expect(heading).toBe(
      '### Bars, Node v20.1.0, server and clients pinned to a core each: 3 met, 3 missed, 1 not measured.',
    );
  });
});

describe('the load of others', () => {
  const withRounds = (...rounds: Record<string, number>[]) => ({
    setUps: [
      {
        setUp: { node: { version: 'v20.1.0', path: '' }, placement: 'free' as const },
        measured: [{ scenario, rows: [{ ...row('ours'), rounds }] }],
      },
    ],
  });

  it('is counted for all measurements that ended', () => {
    const rounds = [{ tries: 1, foreignLoad: 3 }, { tries: 2, foreignLoad: 4 }, { tries: 3, foreignLoad: 31 }, {}];
    expect(disturbanceText(withRounds(...rounds))).toBe(
      'Other programs and the host of the machine may use 10 % of a core during a measurement. 2 of 3 measurements had more ' +
        'and were repeated; 1 had more each time (up to 31 %), of which the calmest counts.',
    );
  });

  it('has no maximum where nothing was disturbed', () => {
    expect(disturbanceText(withRounds({ tries: 1, foreignLoad: 3 }))).toContain('; 0 had more each time, of which');
  });
});
