import fc from 'fast-check';
import { flightLock } from '../../../lib/keys/redisson-keys.js';
import { lease, OVER_MS, SHORT_MS } from '../durations.js';
import { name, owner } from '../names.js';
import type { Step } from '../pair.js';

const text = fc.constantFrom('', '1:a', '{"value":1}', 'ü');

/** The results of single flights, by owners that have the lock of the flight and by owners that do not. */
export const singleFlightSteps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(name, owner, lease).map(([flight, by, ms]): Step => ({
    label: `lock.acquire the flight ${flight} ${by} ${ms}`,
    run: ({ backend }) => backend.lock.acquire({ name: flightLock(flight), owner: by, lease: ms }),
  })),
  fc.tuple(name, owner).map(([flight, by]): Step => ({
    label: `lock.release the flight ${flight} ${by}`,
    run: ({ backend }) => backend.lock.release({ name: flightLock(flight), owner: by, lease: 1000 }),
  })),
  fc.tuple(name, owner, text, lease).map(([flight, by, result, keep]): Step => ({
    label: `singleFlight.save ${flight} ${by} "${result}" ${keep}`,
    run: ({ backend }) => backend.singleFlight.save({ name: flight, owner: by, text: result, keep }),
  })),
  fc.tuple(name, owner, text).map(([flight, by, result]): Step => ({
    label: `singleFlight.save ${flight} ${by} "${result}" ${SHORT_MS}, which passes`,
    run: async ({ backend, pass }) => {
      const outcome = await backend.singleFlight.save({ name: flight, owner: by, text: result, keep: SHORT_MS });
      await pass(OVER_MS);
      return outcome;
    },
  })),
  name.map((flight): Step => ({
    label: `singleFlight.find ${flight}`,
    run: ({ backend }) => backend.singleFlight.find(flight),
  })),
);
