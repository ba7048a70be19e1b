import type { Row } from './figures/results.js';
import type { Library } from './libraries.js';
import { orderOfRound } from './rounds.js';
import type { Figures, Scenario } from './scenarios/scenario.js';
import type { Stage } from './stage.js';

export interface Plan {
  readonly scenario: Scenario;
  readonly libraries: readonly Library[];
  readonly rounds: number;
}

interface Place {
  readonly library: Library;
  readonly size: number;
  readonly title: string;
  readonly rounds: Figures[];
}

let measurements = 0;

/** One scenario: everybody in turn, round by round. */
export async function measureScenario(
  stage: Stage,
  { scenario, libraries, rounds }: Plan,
  say: (line: string) => void,
): Promise<readonly Row[]> {
  const places = libraries
    .filter((library) => scenario.takesPart(library))
    .flatMap((library) => placesOf(library, scenario, stage));
  for (let round = 0; round < rounds; round++) {
    for (const { library, size, title, rounds: done } of orderOfRound(places, round)) {
      const key = `bench:${scenario.id}:${++measurements}`;
      const figures = await attempt(() => scenario.measure({ stage, library, key, size }), say);
      // The next one begins with processes that have no part in what went wrong.
      if (figures === undefined) await stage.cast.dismiss(library.name);
      done.push(figures ?? {});
      say(`  ${scenario.id} ${round + 1}/${rounds} ${title}: ${summary(figures)}`);
    }
  }
  return places.map(({ library, size, title, rounds: done }) => ({ library: library.name, size, title, rounds: done }));
}

function placesOf(library: Library, scenario: Scenario, stage: Stage): Place[] {
  return (scenario.sizes?.(stage) ?? [0]).map((size) => ({
    ...{ library, size, rounds: [] },
    title: scenario.rowTitle?.(library, size) ?? library.title,
  }));
}

async function attempt(measure: () => Promise<Figures>, say: (line: string) => void): Promise<Figures | undefined> {
  try {
    return await measure();
  } catch (error) {
    say(`    failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return undefined;
  }
}

function summary(figures: Figures | undefined): string {
  if (figures === undefined) return 'failed';
  return Object.entries(figures)
    .map(([key, value]) => `${key} ${Number(value.toPrecision(4))}`)
    .join(', ');
}
