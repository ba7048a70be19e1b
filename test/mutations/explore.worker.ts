import { runSeed } from '../sim/run-seed.js';
import { RealScripts } from '../sim/server/real-scripts.js';
import { serverNames } from '../sim/world/simulated-world.js';
import type { Exploration, Explored } from './exploration.js';

/** Runs seeds of the explorer until one fails. */
const explore = async ({ seeds, isReal }: Exploration): Promise<Explored> => {
  const reached = new Set<string>();
  Object.assign(globalThis, { reached: (place: string) => reached.add(place) });
  const real = isReal ? await RealScripts.start(serverNames) : undefined;
  try {
    for (let seed = 1; seed <= seeds; seed++) {
      const { violations, scenario } = await runSeed(seed, { real });
      const [violation] = violations;
      if (violation) return { failure: `seed ${seed}, ${scenario}: ${violation.rule}`, reached: [] };
    }
  } finally {
    await real?.stop();
  }
  return { reached: [...reached] };
};

process.once('message', (exploration: Exploration) => {
  explore(exploration).then(
    (explored) => process.send?.(explored, () => process.disconnect()),
    (error: unknown) => {
      console.error(error);
      process.exit(2);
    },
  );
});
