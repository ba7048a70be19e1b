import type { LockBackend } from '../../../lib/backend/lock-backend.js';
import fc from 'fast-check';
import type { StoredState } from '../../../lib/backend/kinds/inspection/inspection-operations.js';
import { partsOfGroupLock } from '../../../lib/keys/group-field.js';
import { groupLock, name, owner } from '../names.js';
import type { Side, Step } from '../pair.js';

/** Which words describe foreign data, and the order of holders in a hash, is up to the backend. */
const comparable = ({ problem, listeners, holders, ...stored }: StoredState): unknown => ({
  ...stored,
  isExplained: stored.shape !== 'foreign' || problem !== undefined,
  isHeard: listeners > 0,
  holders: holders.toSorted((a, b) => (`${a.owner} ${a.mode}` < `${b.owner} ${b.mode}` ? -1 : 1)),
});

type Read = (inspection: LockBackend['inspection'], of: string) => Promise<StoredState>;

const READS: Readonly<Record<string, Read>> = {
  lock: (inspection, of) => inspection.lock(of),
  limit: (inspection, of) => inspection.limit(of),
  permits: (inspection, of) => inspection.permits(of),
  semaphore: (inspection, of) => inspection.semaphore(of),
  latch: (inspection, of) => inspection.latch(of),
};

const namesFound = async ({ backend }: Side, pattern: string): Promise<readonly string[]> => {
  const found = new Set<string>();
  for await (const names of backend.inspection.names({ pattern, batch: 3 }))
    for (const { what, name: of, key } of names) found.add(`${what} ${of} ${key}`);
  return [...found].toSorted();
};

/** Any name that a kind has used. */
const anyName = fc.oneof(
  name,
  groupLock.map((lock) => partsOfGroupLock(lock).group),
);

/** What inspections tell of the data that all other steps have left. */
export const inspectionSteps: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.tuple(fc.constantFrom(...Object.entries(READS)), anyName).map(([[what, read], of]): Step => ({
      label: `inspection.${what} ${of}`,
      run: async ({ backend }) => comparable(await read(backend.inspection, of)),
    })),
    weight: 8,
  },
  {
    arbitrary: fc.constantFrom('*', 'a*', '?', '[a-n]').map((pattern): Step => ({
      label: `inspection.names ${pattern}`,
      run: (side) => namesFound(side, pattern),
    })),
    weight: 1,
  },
  {
    arbitrary: fc.tuple(name, owner).map(([of, by]): Step => ({
      label: `inspection.keepRecord ${of} ${by}`,
      run: ({ backend }) => backend.inspection.keepRecord({ name: of, owner: by, text: '{}', lease: 3_600_000 }),
    })),
    weight: 1,
  },
  {
    arbitrary: fc.tuple(name, owner).map(([of, by]): Step => ({
      label: `inspection.dropRecord ${of} ${by}`,
      run: ({ backend }) => backend.inspection.dropRecord(of, by),
    })),
    weight: 1,
  },
);
