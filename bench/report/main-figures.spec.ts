import type { Figures } from '../scenarios/scenario.js';
import type { Row } from '../figures/results.js';
import { mainFigures, mainTable, type ScenarioRows } from './main-figures.js';

const row = (library: string, ...rounds: Figures[]): Row => ({
  ...{ library, title: `the ${library}`, size: 0, errors: [], rounds },
});

const measured: readonly ScenarioRows[] = [
  { id: 'S1', rows: [row('one', { p50: 40 }, { p50: 60 }), row('other', { p50: 70 })] },
  { id: 'S4', rows: [row('one', { perSecond: 41_000 }), row('other', {})] },
  { id: 'S9', rows: [row('one', { p50: 1 })] },
];

describe('the main figures', () => {
  it('are medians of one metric for each main scenario that was measured', () => {
    expect(mainFigures(measured).map(({ library, value }) => `${library} ${value}`)).toEqual([
      'one 50',
      'other 70',
      'one 41000',
    ]);
  });

  it('have a line for each library', () => {
    expect(mainTable(measured)?.split('\n')).toEqual([
      '| library   | S1 free lock, pair p50, µs | S4 four processes, acquisitions/s |',
      '| --------- | -------------------------- | --------------------------------- |',
      '| the one   | 50                         | 41,000                            |',
      '| the other | 70                         | –                                 |',
    ]);
  });

  it('have no table without main scenarios', () => {
    expect(mainTable([])).toBeUndefined();
  });
});
