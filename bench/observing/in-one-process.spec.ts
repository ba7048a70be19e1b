import { comparisonTable, costOf } from './in-one-process.js';
import type { SlicesDone } from './slices.js';

/** A process whose slices took these times for a pair, µs, before and now. */
const process = (...slices: readonly (readonly [before: number, now: number])[]): SlicesDone => ({
  before: slices.map(([cpu]) => ({ cpu, perSecond: 1e6 / cpu })),
  now: slices.map(([, cpu]) => ({ cpu, perSecond: 1e6 / cpu })),
});

describe('The cost in one process', () => {
  it('is taken from slices that were measured one right after the other', () => {
    const busy = process([5, 6], [10, 12], [100, 120]);
    expect(costOf([busy])).toEqual({
      before: 10,
      ratio: { median: 1.2, min: 1.2, max: 1.2 },
      more: { median: 2000, min: 2000, max: 2000 },
    });
  });

  it('is the median of the processes, with their range', () => {
    const processes = [process([10, 11]), process([10, 10]), process([10, 15])];
    expect(costOf(processes)).toMatchObject({
      ratio: { median: 1.1, min: 1, max: 1.5 },
      more: { median: 1000, min: 0, max: 5000 },
    });
  });

  it('is unknown without a process', () => {
    expect(costOf([])).toBeUndefined();
    const none = { ...{ scenario: 'S1', backend: 'redis', build: 'ours' }, processes: [] };
    expect(comparisonTable([none])).toContain('| S1       | redis   | ours  | –');
  });
});
