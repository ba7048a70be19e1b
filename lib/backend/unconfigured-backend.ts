import { LockOptionsError } from '../errors.js';
import type { LockBackend } from './lock-backend.js';

/**
 * Placeholder for a backend without a configured server. Refuses every operation with `LockOptionsError`: a default
 * server, such as one on each host, would give locks that exclude no process elsewhere.
 * @param why Text of that error.
 */
export const unconfiguredBackend = (why: string): LockBackend => {
  const refuse = (): Promise<never> => Promise.reject(new LockOptionsError(why, { details: { option: 'connection' } }));
  async function* names(): AsyncGenerator<never> {
    yield await refuse();
  }
  // Stands for every member: each of its methods refuses.
  const refusing = new Proxy(
    { canWait: () => false, grantChannel: () => undefined, names },
    { get: (known, name) => Reflect.get(known, name) ?? refuse },
  ) as never;
  return {
    lock: refusing,
    fairLock: refusing,
    fencedLock: refusing,
    groupLock: refusing,
    limit: refusing,
    readLock: refusing,
    writeLock: refusing,
    conversion: refusing,
    semaphore: refusing,
    permitExpirableSemaphore: refusing,
    countDownLatch: refusing,
    singleFlight: refusing,
    takeOver: refusing,
    inspection: refusing,
    blockedHolds: refusing,
    pubSub: refusing,
    watch: () => {},
    refuse: () => {},
    check: async () => [],
    open: () => {},
    close: async () => {},
  };
};
