import fc from 'fast-check';
import { fairChannel, limitChannel } from '../../../lib/keys/redisson-keys.js';
import { lease, OVER_MS, SHORT_MS, UNIT } from '../durations.js';
import { exclusiveOwners, name, owner } from '../names.js';
import type { Step } from '../pair.js';

/** Slots that outlast a run. */
const slot = fc.constantFrom(5 * UNIT, 20 * UNIT);
const limit = fc.integer({ min: 1, max: 3 });

/** Who asks, and for how long: leases of different owners never end together. */
const terms = fc
  .tuple(fc.nat(exclusiveOwners.length - 1), lease)
  .map(([index, ms]) => [exclusiveOwners[index] ?? '', exclusiveOwners.length * ms + index * UNIT] as const);

/** Operations on the queue of a limit. Operations of every lock are in `lock.steps`. */
export const limitQueueSteps: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc
      .tuple(name, terms, slot, limit, fc.boolean())
      .map(([of, [by, ms], place, most, isNumbered]): Step => ({
        label: `limit.queue ${of} ${by} ${ms} ${place} ${most} ${isNumbered}`,
        run: async ({ backend, listeners }) => {
          // Hears who is told: each waiter with a place, and those without one.
          await listeners.listen('waiters', [
            limitChannel(of),
            ...exclusiveOwners.map((each) => fairChannel(of, each)),
          ]);
          return backend.limit.queue({ name: of, owner: by, lease: ms, slot: place, limit: most, isNumbered });
        },
      })),
    weight: 8,
  },
  {
    // A place that ends within its step. The next step removes it.
    arbitrary: fc.tuple(name, terms, limit).map(([of, [by, ms], most]): Step => ({
      label: `limit.queue ${of} ${by} ${ms} ${most}, and the place passes`,
      run: async ({ backend, pass }) => {
        const reply = await backend.limit.queue({ name: of, owner: by, lease: ms, slot: 5 * UNIT, limit: most });
        await backend.limit.keep({ name: of, owners: [by], slot: SHORT_MS });
        await pass(OVER_MS);
        return reply.outcome;
      },
    })),
    weight: 2,
  },
  {
    arbitrary: fc.tuple(name, fc.uniqueArray(owner, { minLength: 1 }), slot).map(([of, owners, place]): Step => ({
      label: `limit.leave ${of} ${owners.join(' ')} ${place}`,
      run: ({ backend }) => backend.limit.leave({ name: of, owners, lease: 1000, slot: place }),
    })),
    weight: 2,
  },
  {
    arbitrary: fc.tuple(name, fc.uniqueArray(owner, { minLength: 1 }), slot).map(([of, owners, place]): Step => ({
      label: `limit.keep ${of} ${owners.join(' ')} ${place}`,
      run: ({ backend }) => backend.limit.keep({ name: of, owners, slot: place }),
    })),
    weight: 3,
  },
);
