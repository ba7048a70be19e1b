import type { Row } from '../figures/results.js';
import type { Metric, Scenario } from '../scenarios/scenario.js';
import { observingCost, observingCostTable } from './observing-cost.js';

const roles = {
  ...{ ours: 'ours', limit: 'raw', redisson: 'redisson', before: 'before', references: [] },
  ...{ unobserved: 'unobserved', observed: ['metrics'] },
};
const metrics: readonly Metric[] = [
  { key: 'perSecond', title: 'pairs/s', best: 'highest' },
  { key: 'clientCpu', title: 'client CPU', unit: 'µs', digits: 1, best: 'lowest' },
];
const row = (library: string, ...values: number[]): Row => ({
  ...{ library, title: library, size: 0, errors: [] },
  rounds: values.map((perSecond) => ({ perSecond, clientCpu: 1000 / perSecond })),
});
const [rate, time] = metrics as readonly [Metric, Metric];

describe('The cost of observing', () => {
  it('is above 1 if the rate is lower or the time is longer, in the median of the rounds', () => {
    const [before, now] = [row('unobserved', 100, 200, 100), row('ours', 50, 160, 100)];
    expect(observingCost(now, before, rate)?.ratio).toEqual({ median: 1.25, min: 1, max: 2 });
    expect(observingCost(now, before, time)?.ratio).toEqual({ median: 1.25, min: 1, max: 2 });
  });

  it('has the middle half of the rounds as well', () => {
    const before = row('unobserved', ...Array.from({ length: 8 }, () => 100));
    const now = row('ours', 10, 80, 80, 80, 80, 80, 80, 1000);
    expect(observingCost(now, before, rate)?.middle).toEqual({ median: 1.25, min: 1.25, max: 1.25 });
  });

  it('is unknown without rounds in common', () => {
    expect(observingCost(row('ours'), row('unobserved', 100), rate)).toBeUndefined();
  });

  it('is shown for this library alone and with each thing attached, not for others', () => {
    const scenario: Scenario = {
      ...{ id: 'S', title: '', method: '' },
      metrics,
      takesPart: () => true,
      measure: () => Promise.reject(new Error('not measured')),
    };
    const rows = [row('raw', 400), row('unobserved', 100), row('ours', 100), row('metrics', 80)];
    const lines = observingCostTable([{ scenario, rows }], roles).split('\n').slice(2);
    expect(
      lines.map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim())
          .slice(1, 7),
      ),
    ).toEqual([
      ['S', 'pairs/s', 'ours', '100', '100', '1.000'],
      ['S', 'pairs/s', 'metrics', '100', '80', '1.250'],
      ['S', 'client CPU, µs', 'ours', '10.0', '10.0', '1.000'],
      ['S', 'client CPU, µs', 'metrics', '10.0', '12.5', '1.250'],
    ]);
  });
});
