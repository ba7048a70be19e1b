import fc from 'fast-check';
import { lease } from '../durations.js';
import { name, readerOrWriter } from '../names.js';
import type { Step } from '../pair.js';

const twoOwners = fc.tuple(readerOrWriter, readerOrWriter).filter(([from, to]) => from !== to);

/** Upgrades and downgrades, by owners that hold the lock and by owners that do not. */
export const conversionSteps: fc.Arbitrary<Step> = fc
  .tuple(fc.constantFrom('upgrade', 'downgrade'), name, twoOwners, lease)
  .map(([way, lock, [from, to], ms]) => ({
    label: `${way} ${lock} from ${from} to ${to} ${ms}`,
    run: ({ backend }) => backend.conversion[way]({ name: lock, from, to, lease: ms }),
  }));
