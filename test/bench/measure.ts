import type { Row } from './figures/results.js';
import type { Library } from './libraries.js';
import { orderOfRound } from './rounds.js';
import type { Figures, Scenario } from './scenarios/scenario.js';
import type { MeasurementSettings, BenchWorld } from './bench-world.js';
import { within } from './time-limit.js';

export interface Plan {
  readonly scenario: Scenario;
  readonly libraries: readonly Library[];
  readonly rounds: number;
}

interface RowInProgress {
  readonly library: Library;
  readonly size: number;
  readonly title: string;
  readonly rounds: Figures[];
  readonly errors: string[];
}

/** Time limit of one measurement, so that an endless one does not stop the others. */
const LIMIT_MS = 600_000;

let measurements = 0;

/** Measures one scenario: each library in turn, round by round. */
export async function measureScenario(
  world: BenchWorld,
  { scenario, libraries, rounds: wanted }: Plan,
  report: (line: string) => void,
): Promise<readonly Row[]> {
  const { quick } = world.settings;
  const rounds = Math.min(wanted, scenario.maxRounds === undefined ? wanted : quick ? 1 : scenario.maxRounds);
  const rows = libraries
    .filter((library) => scenario.takesPart(library, world.settings))
    .flatMap((library) => rowsOf(library, scenario, world.settings));
  for (let round = 0; round < rounds; round++) {
    for (const { library, size, title, rounds: done, errors } of orderOfRound(rows, round)) {
      const key = `bench:${scenario.id}:${++measurements}`;
      const start = `  ${scenario.id} ${round + 1}/${rounds} ${title}: `;
      try {
        const figures = await within(
          LIMIT_MS,
          scenario.measure({ world, library, key, size }),
          () => `It had not ended after ${LIMIT_MS} ms`,
        );
        done.push(figures);
        report(start + summary(figures));
      } catch (error) {
        done.push({});
        errors.push(error instanceof Error ? error.message : String(error));
        report(`${start}failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        // The next measurement begins with new processes, which this failure cannot affect.
        await world.pool.stop(library.name);
      }
    }
  }
  return rows.map(({ library, ...row }) => ({ library: library.name, ...row }));
}

function rowsOf(library: Library, scenario: Scenario, settings: MeasurementSettings): RowInProgress[] {
  return (scenario.sizes?.(settings) ?? [0]).map((size) => ({
    ...{ library, size, rounds: [], errors: [] },
    title: scenario.rowTitle?.(library, size) ?? library.title,
  }));
}

function summary(figures: Figures): string {
  return Object.entries(figures)
    .map(([key, value]) => `${key} ${Number(value.toPrecision(4))}`)
    .join(', ');
}
