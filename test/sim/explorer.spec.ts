import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutations } from '../chaos/mutations.js';
import { mends } from './planted/mends.js';
import { plantedGrants } from './planted/planted-grants.js';
import { plantedBugs } from './planted/planted-bugs.js';
import { runSeed } from './run-seed.js';

const LIB = join(__dirname, '../../lib');

const SEEDS_EACH = 15;
const FIRST_SEEDS = Array.from({ length: 10 }, (_, index) => 1 + index * SEEDS_EACH);
/** These tests only compute, and take as long as the machine needs. */
const COMPUTING_LIMIT_MS = 60_000;

describe('The schedule explorer', () => {
  it.each([1, 2, 17, 4734])('runs seed %d again with the same result, event for event', async (seed) => {
    const first = await runSeed(seed, { isTraced: true });
    const second = await runSeed(seed, { isTraced: true });
    expect(first.events).toBeGreaterThan(10);
    expect(second).toEqual(first);
  });

  it.each(FIRST_SEEDS)(
    `finds nothing in the ${SEEDS_EACH} seeds from %d`,
    async (from) => {
      const failed: unknown[] = [];
      for (let seed = from; seed < from + SEEDS_EACH; seed += 1) {
        const { violations, scenario } = await runSeed(seed);
        if (violations.length > 0) failed.push({ seed, scenario, violations });
      }
      expect(failed).toEqual([]);
    },
    COMPUTING_LIMIT_MS,
  );
});

describe('A planted bug', () => {
  const edits = [...mends, ...plantedBugs, ...plantedGrants].flatMap(({ name, edits: all }) =>
    all.map((edit) => [name, { ...edit, times: 1 }] as const),
  );
  const taken = mutations.map((mutation) => [mutation.protection, { times: 1, ...mutation }] as const);

  it.each([...edits, ...taken])(
    'changes the places of the library that it is meant for: %s',
    (_name, { file, find, times }) => {
      expect(readFileSync(join(LIB, file), 'utf8').split(find)).toHaveLength(times + 1);
    },
  );
});
