import fc from 'fast-check';
import { clientIdOf } from '../../../lib/context/owner-ids.js';
import { clientChannel } from '../../../lib/keys/redisson-keys.js';
import { lease, OVER_MS, SHORT_MS, UNIT } from '../durations.js';
import { name, owner } from '../names.js';
import type { Step } from '../pair.js';

/** Slots that outlast a run. They differ so much that no two of their sums are equal. */
const slot = fc.constantFrom(5 * UNIT, 20 * UNIT);

/** Waiters that the lock can be given to. Their client listens as soon as the first of them queues. */
const givenTo = [1, 2].map((thread) => `55555555-5555-8555-8555-555555555555:${thread}`);
const given = fc.constantFrom(...givenTo);
/** First leases of places, which outlast a run. */
const firstLease = fc.constantFrom(3000, 8184);
const anyOwner = fc.oneof(owner, given);

/** Operations on the queue. Operations of every lock are in `lock.steps`. */
export const fairQueueSteps: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.tuple(name, owner, lease, slot).map(([lock, by, ms, place]): Step => ({
      label: `fairLock.queue ${lock} ${by} ${ms} ${place}`,
      run: ({ backend }) => backend.fairLock.queue({ name: lock, owner: by, lease: ms, slot: place }),
    })),
    weight: 6,
  },
  {
    arbitrary: fc.tuple(name, given, lease, slot, firstLease).map(([lock, by, ms, place, first]): Step => ({
      label: `fairLock.queue ${lock} ${by} ${ms} ${place} ${first}`,
      run: async ({ backend, listeners }) => {
        const client = clientIdOf(by);
        await listeners.listen(client, [clientChannel(lock, client)]);
        return backend.fairLock.queue({ name: lock, owner: by, lease: ms, slot: place, firstLease: first });
      },
    })),
    weight: 6,
  },
  {
    arbitrary: fc.tuple(name, given).map(([lock, by]): Step => ({
      label: `fairLock.release ${lock} ${by}`,
      run: ({ backend }) => backend.fairLock.release({ name: lock, owner: by, lease: 1000 }),
    })),
    weight: 4,
  },
  {
    // A place that ends within its step. The next step removes it.
    arbitrary: fc.tuple(name, owner, lease).map(([lock, by, ms]): Step => ({
      label: `fairLock.queue ${lock} ${by} ${ms}, and the place passes`,
      run: async ({ backend, pass }) => {
        const reply = await backend.fairLock.queue({ name: lock, owner: by, lease: ms, slot: 5 * UNIT });
        await backend.fairLock.keep({ name: lock, owners: [by], slot: SHORT_MS });
        await pass(OVER_MS);
        return reply.outcome;
      },
    })),
    weight: 1,
  },
  {
    arbitrary: fc.tuple(name, anyOwner, slot).map(([lock, by, place]): Step => ({
      label: `fairLock.leave ${lock} ${by} ${place}`,
      run: ({ backend }) => backend.fairLock.leave({ name: lock, owners: [by], lease: 1000, slot: place }),
    })),
    weight: 2,
  },
  {
    arbitrary: fc.tuple(name, fc.uniqueArray(anyOwner, { minLength: 1 }), slot).map(([lock, owners, place]): Step => ({
      label: `fairLock.keep ${lock} ${owners.join(' ')} ${place}`,
      run: ({ backend }) => backend.fairLock.keep({ name: lock, owners, slot: place }),
    })),
    weight: 2,
  },
);
