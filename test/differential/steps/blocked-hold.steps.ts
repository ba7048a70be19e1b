import fc from 'fast-check';
import { lease, OVER_MS, SHORT_MS } from '../durations.js';
import { name } from '../names.js';
import type { Step } from '../pair.js';

const text = fc.constantFrom('["w1"]', '["w2"]', '["w3","ü"]');

/** The records beside locks of holds whose code waits. */
export const blockedHoldSteps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(name, text, lease).map(([lock, record, ms]): Step => ({
    label: `blockedHolds.keep ${lock} ${record} ${ms}`,
    run: ({ backend }) => backend.blockedHolds.keep(lock, record, ms),
  })),
  fc.tuple(name, text).map(([lock, record]): Step => ({
    label: `blockedHolds.keep ${lock} ${record} ${SHORT_MS}, which passes`,
    run: async ({ backend, pass }) => {
      await backend.blockedHolds.keep(lock, record, SHORT_MS);
      await pass(OVER_MS);
    },
  })),
  fc.tuple(name, text).map(([lock, record]): Step => ({
    label: `blockedHolds.drop ${lock} ${record}`,
    run: ({ backend }) => backend.blockedHolds.drop(lock, record),
  })),
  name.map((lock): Step => ({
    label: `blockedHolds.find ${lock}`,
    run: ({ backend }) => backend.blockedHolds.find(lock),
  })),
);
