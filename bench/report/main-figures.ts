import { markdownTable } from './table.js';
import { type Row, spreadOfMetric } from '../figures/results.js';

/** One quantity of the main table. */
interface MainMetric {
  readonly scenario: string;
  readonly metric: string;
  readonly title: string;
  readonly digits: number;
  readonly best: 'highest' | 'lowest';
}

const MAIN: readonly MainMetric[] = [
  { scenario: 'S1', metric: 'p50', title: 'S1 free lock, pair p50, µs', digits: 0, best: 'lowest' },
  { scenario: 'S2', metric: 'perSecond', title: 'S2 256 locks, pairs/s', digits: 0, best: 'highest' },
  { scenario: 'S3', metric: 'perSecond', title: 'S3 one process, acquisitions/s', digits: 0, best: 'highest' },
  { scenario: 'S4', metric: 'perSecond', title: 'S4 four processes, acquisitions/s', digits: 0, best: 'highest' },
  { scenario: 'S5a', metric: 'p50', title: 'S5a release to grant, p50, ms', digits: 2, best: 'lowest' },
  { scenario: 'S5b', metric: 'handOverP99', title: 'S5b busy hand-over, p99, ms', digits: 2, best: 'lowest' },
];

/** The rows of a scenario, as in `results.json`. */
export interface ScenarioRows {
  readonly id: string;
  readonly rows: readonly Row[];
}

/** One value of the main table: a median. */
export interface MainFigure {
  readonly title: string;
  readonly library: string;
  readonly libraryTitle: string;
  readonly value: number;
  readonly digits: number;
  readonly best: 'highest' | 'lowest';
}

/** The main metric of the main scenarios, for each library. */
export function mainFigures(measured: readonly ScenarioRows[]): readonly MainFigure[] {
  return MAIN.flatMap(({ scenario, metric, title, digits, best }) => {
    const rows = measured.find(({ id }) => id === scenario)?.rows ?? [];
    return rows.flatMap((row) => {
      const value = spreadOfMetric(row, metric)?.median;
      return value === undefined ? [] : [{ title, library: row.library, libraryTitle: row.title, value, digits, best }];
    });
  });
}

/** A table of the main figures, with a line for each library. */
export function mainTable(measured: readonly ScenarioRows[]): string | undefined {
  const figures = mainFigures(measured);
  const titles = [...new Set(figures.map(({ title }) => title))];
  if (titles.length === 0) return undefined;
  const lines = [...new Set(figures.map(({ library }) => library))].map((library) => {
    const own = figures.filter((figure) => figure.library === library);
    const cells = titles.map((title) => {
      const figure = own.find((each) => each.title === title);
      return figure === undefined ? '–' : fixed(figure.value, figure.digits);
    });
    return [own[0]?.libraryTitle ?? library, ...cells];
  });
  return markdownTable(['library', ...titles], lines);
}

export const fixed = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
