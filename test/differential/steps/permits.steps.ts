import fc from 'fast-check';
import type { PermitIds } from '../../../lib/context/permit-ids.js';
import { lease, OVER_MS, SHORT_MS } from '../durations.js';
import { name } from '../names.js';
import { semaphoreChannel } from '../../../lib/keys/redisson-keys.js';
import type { Step } from '../pair.js';

/** Few ids, so that they repeat. Our clients never request a permit twice, but a request may arrive twice. */
const id = fc.constantFrom(
  '00000000000000000000000000000001',
  'aabbccddeeff00112233445566778899',
  'ffffffffffffffffffffffffffffffff',
  '00ff00ff00ff00ff00ff00ff00ff00ff',
);
const ids = fc
  .uniqueArray(id, { minLength: 1, maxLength: 3 })
  .map(([first = '', ...more]): PermitIds => [first, ...more]);
const total = fc.integer({ min: 1, max: 5 });
const leaseOrNone = fc.oneof({ arbitrary: lease, weight: 3 }, fc.constant(Number.POSITIVE_INFINITY));

export const permitSteps: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.tuple(name, ids, leaseOrNone).map(([semaphore, wanted, ms]): Step => ({
      label: `permits.acquire ${semaphore} ${wanted.join(' ')} ${ms}`,
      run: ({ backend }) => backend.permitExpirableSemaphore.acquire({ name: semaphore, ids: wanted, lease: ms }),
    })),
    weight: 6,
  },
  fc.tuple(name, ids).map(([semaphore, wanted]): Step => ({
    label: `permits.acquire ${semaphore} ${wanted.join(' ')} ${SHORT_MS}, which passes`,
    run: async ({ backend, pass }) => {
      const request = { name: semaphore, ids: wanted, lease: SHORT_MS };
      const { outcome } = await backend.permitExpirableSemaphore.acquire(request);
      await pass(OVER_MS);
      return outcome;
    },
  })),
  {
    arbitrary: fc.tuple(name, id).map(([semaphore, permit]): Step => ({
      label: `permits.release ${semaphore} ${permit}`,
      run: ({ backend }) => backend.permitExpirableSemaphore.release(semaphore, permit),
    })),
    weight: 3,
  },
  fc.tuple(name, ids).map(([semaphore, permits]): Step => ({
    label: `permits.releaseAll ${semaphore} ${permits.join(' ')}`,
    run: ({ backend }) => backend.permitExpirableSemaphore.releaseAll(semaphore, permits),
  })),
  fc.tuple(name, id, leaseOrNone).map(([semaphore, permit, ms]): Step => ({
    label: `permits.updateLease ${semaphore} ${permit} ${ms}`,
    run: async ({ backend, listeners }) => {
      // Hears that a lease was shortened.
      await listeners.listen('waiters of permits', [semaphoreChannel(semaphore)]);
      return backend.permitExpirableSemaphore.updateLease(semaphore, permit, ms);
    },
  })),
  fc.array(fc.tuple(name, id, lease), { minLength: 1, maxLength: 3 }).map((renewals): Step => ({
    label: `permits.renew ${JSON.stringify(renewals)}`,
    run: ({ backend }) =>
      backend.permitExpirableSemaphore.renew(
        renewals.map(([semaphore, permit, ms]) => ({ name: semaphore, owner: permit, lease: ms })),
      ),
  })),
  fc.tuple(name, id).map(([semaphore, permit]): Step => ({
    label: `permits.lease ${semaphore} ${permit}`,
    run: ({ backend }) => backend.permitExpirableSemaphore.lease(semaphore, permit),
  })),
  name.map((semaphore): Step => ({
    label: `permits.inspect ${semaphore}`,
    run: ({ backend }) => backend.permitExpirableSemaphore.inspect(semaphore),
  })),
  fc.tuple(name, total).map(([semaphore, count]): Step => ({
    label: `permits.trySetPermits ${semaphore} ${count}`,
    run: ({ backend }) => backend.permitExpirableSemaphore.trySetPermits(semaphore, count),
  })),
  fc.tuple(name, total).map(([semaphore, count]): Step => ({
    label: `permits.setPermits ${semaphore} ${count}`,
    run: ({ backend }) => backend.permitExpirableSemaphore.setPermits(semaphore, count),
  })),
  fc.tuple(name, fc.integer({ min: -3, max: 3 })).map(([semaphore, by]): Step => ({
    label: `permits.addPermits ${semaphore} ${by}`,
    run: ({ backend }) => backend.permitExpirableSemaphore.addPermits(semaphore, by),
  })),
  name.map((semaphore): Step => ({
    label: `permits.delete ${semaphore}`,
    run: ({ backend }) => backend.permitExpirableSemaphore.delete(semaphore),
  })),
);
