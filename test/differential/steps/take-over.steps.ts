import fc from 'fast-check';
import { lease } from '../durations.js';
import { exclusiveOwners, name } from '../names.js';
import type { Step } from '../pair.js';

const kind = fc.constantFrom('plain' as const, 'fair' as const, 'spin' as const);
const how = fc.constantFrom('detach' as const, 'attach' as const);

/** An owner that an application has chosen, so that its release is another script. */
const CHOSEN = 'user:7:0';
const ownerOrChosen = fc.constantFrom(...exclusiveOwners, CHOSEN, CHOSEN);

const releaseChosen: fc.Arbitrary<Step> = name.map((lock) => ({
  label: `lock.release ${lock} ${CHOSEN}`,
  run: ({ backend }) => backend.lock.release({ name: lock, owner: CHOSEN, lease: 1000 }),
}));

const passOn: fc.Arbitrary<Step> = fc
  .tuple(how, kind, name, ownerOrChosen, ownerOrChosen, lease)
  .map(([step, as, lock, from, to, ms]) => ({
    label: `${step} ${as} ${lock} from ${from} to ${to} ${ms}`,
    run: ({ backend }) => backend.takeOver[step]({ name: lock, from, to, lease: ms, kind: as }),
  }));

/** Passing a lock on to an owner that its holder has named, by owners that hold it and by owners that do not. */
export const takeOverSteps: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: passOn, weight: 4 },
  { arbitrary: releaseChosen, weight: 1 },
);
