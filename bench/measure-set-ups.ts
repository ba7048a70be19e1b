import { BenchWorld, type MeasurementSettings } from './bench-world.js';
import { leaders } from './figures/leaders.js';
import type { LibraryRoles } from './figures/results.js';
import type { Library } from './libraries.js';
import { measureScenario } from './measure.js';
import type { Measured, SetUpResults } from './report/report.js';
import type { Scenario } from './scenarios/scenario.js';
import { type SetUp, setUpTitle } from './set-up/set-up.js';

export interface FullPlan {
  readonly setUps: readonly SetUp[];
  readonly scenarios: readonly Scenario[];
  readonly libraries: readonly Library[];
  readonly rounds: number;
  readonly settings: MeasurementSettings;
  readonly roles: LibraryRoles;
}

export interface Progress {
  readonly say: (line: string) => void;
  /** Called with the results of each scenario in each set-up. */
  readonly measured: (results: Measured, setUp: SetUp) => void;
}

interface Step {
  readonly scenario: Scenario;
  readonly setUp: SetUp;
}

const MS_PER_S = 1000;

/** Measures every scenario in every set-up, with a server and processes of their own for each set-up. */
export async function measureSetUps(plan: FullPlan, progress: Progress): Promise<readonly SetUpResults[]> {
  const steps = stepsOf(plan);
  const leading = new Map<Scenario, ReadonlySet<string>>();
  const results: SetUpResults[] = [];
  let number = 0;
  for (const setUp of plan.setUps) {
    await using world = await BenchWorld.open(plan.settings, setUp);
    const measured: Measured[] = [];
    for (const { scenario } of steps.filter((step) => step.setUp === setUp)) {
      progress.say(`[${++number}/${steps.length}] ${setUpTitle(setUp)}. ${scenario.id}: ${scenario.title}`);
      const start = performance.now();
      const known = plan.settings.allPeers ? undefined : leading.get(scenario);
      const libraries = plan.libraries.filter(({ name }) => known?.has(name) ?? true);
      const rows = await measureScenario(
        world,
        { scenario, libraries, roles: plan.roles, rounds: roundsIn(setUp, plan), preselected: known !== undefined },
        progress.say,
      );
      if (known === undefined) leading.set(scenario, leaders(scenario, rows, plan.roles));
      progress.say(`  ${((performance.now() - start) / MS_PER_S).toFixed(0)} s`);
      measured.push({ scenario, rows });
      progress.measured({ scenario, rows }, setUp);
    }
    results.push({ setUp, measured });
  }
  return results;
}

/** No bar is judged by what is measured without pinning as well, so half of the rounds are enough. */
export const roundsIn = (setUp: SetUp, { setUps, rounds }: Pick<FullPlan, 'setUps' | 'rounds'>): number =>
  setUp.placement === 'free' && setUps.some(({ placement }) => placement === 'pinned') ? Math.ceil(rounds / 2) : rounds;

/** What is measured, in order. A scenario that is not measured everywhere is so in the first set-up that suits it. */
export function stepsOf({ setUps, scenarios }: Pick<FullPlan, 'setUps' | 'scenarios'>): readonly Step[] {
  return setUps.flatMap((setUp) =>
    scenarios.filter((scenario) => isMeasured(scenario, setUp, setUps)).map((scenario) => ({ scenario, setUp })),
  );
}

function isMeasured({ placement, when }: Scenario, setUp: SetUp, setUps: readonly SetUp[]): boolean {
  const suitable = setUps.filter((each) => (placement ?? each.placement) === each.placement);
  if (when === undefined) return suitable.includes(setUp);
  if (when === 'each-node') return suitable.find(({ node }) => node === setUp.node) === setUp;
  return suitable[0] === setUp;
}
