import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutations } from '../chaos/mutations.js';
import { mends } from './planted/mends.js';
import { plantedBugs } from './planted/planted-bugs.js';
import { runSeed } from './run-seed.js';

const LIB = join(__dirname, '../../lib');

describe('The schedule explorer', () => {
  it.each([1, 2, 17, 4734])('runs seed %d again with the same result, event for event', async (seed) => {
    const first = await runSeed(seed, { isTraced: true });
    const second = await runSeed(seed, { isTraced: true });
    expect(first.events).toBeGreaterThan(10);
    expect(second).toEqual(first);
  });

  it('finds nothing in the first seeds', async () => {
    const failed: unknown[] = [];
    for (let seed = 1; seed <= 150; seed += 1) {
      const { violations, scenario } = await runSeed(seed);
      if (violations.length > 0) failed.push({ seed, scenario, violations });
    }
    expect(failed).toEqual([]);
  });
});

describe('A planted bug', () => {
  const edits = [...mends, ...plantedBugs].flatMap(({ name, edits: all }) => all.map((edit) => [name, edit] as const));
  const taken = mutations.map((mutation) => [mutation.protection, mutation] as const);

  it.each([...edits, ...taken])('changes one place of the library: %s', (_name, { file, find }) => {
    expect(readFileSync(join(LIB, file), 'utf8').split(find)).toHaveLength(2);
  });
});
