import { leaders, namedLibraries } from './figures/leaders.js';
import type { LibraryRoles, Row } from './figures/results.js';
import type { Library } from './libraries.js';
import { orderOfRound } from './rounds.js';
import type { Figures, Scenario } from './scenarios/scenario.js';
import type { MeasurementSettings, BenchWorld } from './bench-world.js';
import { MOST_FOREIGN_LOAD, withForeignLoad } from './set-up/foreign-load.js';
import { within } from './time-limit.js';

export interface Plan {
  readonly scenario: Scenario;
  readonly libraries: readonly Library[];
  readonly rounds: number;
  readonly roles: LibraryRoles;
  readonly preselected?: boolean;
}

/** Beside the figures of a round. */
interface Disturbance {
  /** In percent of a core. */
  readonly foreignLoad: number;
  readonly tries: number;
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

/** How often a measurement is tried that others disturb. */
const MOST_TRIES = 3;

let measurements = 0;

/**
 * Measures one scenario: each library in turn, round by round. Unless all peers are wanted, they are measured once and
 * briefly, and then only the best ones of them in all rounds.
 * @param plan.preselected Whether `plan.libraries` are the best ones already.
 */
export async function measureScenario(
  world: BenchWorld,
  plan: Plan,
  report: (line: string) => void,
): Promise<readonly Row[]> {
  const { scenario, libraries, rounds: wanted, roles, preselected = false } = plan;
  const { quick, allPeers } = world.settings;
  const rounds = Math.min(wanted, scenario.maxRounds === undefined ? wanted : quick ? 1 : scenario.maxRounds);
  const rows = libraries
    .filter((library) => scenario.takesPart(library, world.settings))
    .flatMap((library) => rowsOf(library, scenario, world.settings));
  let measured = rows;
  if (!allPeers && !preselected) {
    const named = namedLibraries(scenario, roles);
    const others = rows.filter(({ library }) => !named.has(library.name));
    await world.inBrief(async () => {
      for (const row of others) await measureRow(world, scenario, row, `brief ${row.title}`, report);
    });
    const leading = leaders(scenario, resultsOf(rows), roles);
    measured = rows.filter(({ library }) => leading.has(library.name));
    for (const row of measured) forget(row);
  }
  for (let round = 0; round < rounds; round++) {
    for (const row of orderOfRound(measured, round)) {
      await measureRow(world, scenario, row, `${round + 1}/${rounds} ${row.title}`, report);
    }
  }
  return resultsOf(rows);
}

async function measureRow(
  world: BenchWorld,
  scenario: Scenario,
  { library, size, rounds, errors }: RowInProgress,
  title: string,
  report: (line: string) => void,
): Promise<void> {
  const start = `  ${scenario.id} ${title}: `;
  try {
    const figures = await undisturbed(() =>
      within(
        LIMIT_MS,
        scenario.measure({ world, library, key: `bench:${scenario.id}:${++measurements}`, size }),
        () => `It had not ended after ${LIMIT_MS} ms`,
      ),
    );
    rounds.push(figures);
    const { foreignLoad, tries } = figures;
    const others = tries === 1 ? '' : `, try ${tries}, ${foreignLoad.toFixed(0)} % of a core used by others`;
    report(start + summary(figures, scenario) + others);
  } catch (error) {
    rounds.push({});
    errors.push(error instanceof Error ? error.message : String(error));
    report(`${start}failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    // The next measurement begins with new processes, which this failure cannot affect.
    await world.pool.stop(library.name);
  }
}

/** Measures again while other programs, or the host, take part of the machine; of several tries the calmest counts. */
async function undisturbed(measure: () => Promise<Figures>): Promise<Figures & Disturbance> {
  let calmest: (Figures & { readonly foreignLoad: number }) | undefined;
  for (let tries = 1; ; tries += 1) {
    const [figures, foreignLoad] = await withForeignLoad(measure);
    if (calmest === undefined || foreignLoad < calmest.foreignLoad) calmest = { ...figures, foreignLoad };
    if (calmest.foreignLoad <= MOST_FOREIGN_LOAD || tries === MOST_TRIES) return { ...calmest, tries };
  }
}

/** Removes what was measured briefly. */
function forget({ rounds, errors }: RowInProgress): void {
  rounds.length = 0;
  errors.length = 0;
}

const resultsOf = (rows: readonly RowInProgress[]): readonly Row[] =>
  rows.map(({ library, ...row }) => ({ library: library.name, ...row }));

function rowsOf(library: Library, scenario: Scenario, settings: MeasurementSettings): RowInProgress[] {
  return (scenario.sizes?.(settings) ?? [0]).map((size) => ({
    ...{ library, size, rounds: [], errors: [] },
    title: scenario.rowTitle?.(library, size) ?? library.title,
  }));
}

function summary(figures: Figures, { metrics }: Scenario): string {
  return metrics.map(({ key, title }) => `${title} ${Number((figures[key] ?? Number.NaN).toPrecision(4))}`).join(', ');
}
