import fc from 'fast-check';
import { lease } from '../durations.js';
import { exclusiveOwners, name } from '../names.js';
import type { Step } from '../pair.js';

const owner = fc.constantFrom(...exclusiveOwners);
const kind = fc.constantFrom('plain' as const, 'fair' as const, 'spin' as const);
const how = fc.constantFrom('detach' as const, 'attach' as const);

/** Passing a lock on to an owner that its holder has named, by owners that hold it and by owners that do not. */
export const takeOverSteps: fc.Arbitrary<Step> = fc
  .tuple(how, kind, name, owner, owner, lease)
  .map(([step, as, lock, from, to, ms]) => ({
    label: `${step} ${as} ${lock} from ${from} to ${to} ${ms}`,
    run: ({ backend }) => backend.takeOver[step]({ name: lock, from, to, lease: ms, kind: as }),
  }));
