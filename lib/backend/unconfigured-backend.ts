import { LockOptionsError } from '../errors.js';
import type { LockBackend } from './lock-backend.js';

/**
 * Stands where no server was named. Refuses with `LockOptionsError`: a default server, such as one on each host, would
 * give locks that exclude nobody elsewhere.
 * @param why What whoever uses it is told.
 */
export const absentBackend = (why: string): LockBackend => {
  const refuse = (): Promise<never> => Promise.reject(new LockOptionsError(why, { details: { option: 'connection' } }));
  // Whatever it is taken for, each of its methods refuses.
  const refusing = new Proxy({}, { get: () => refuse }) as never;
  return {
    lock: refusing,
    spinLock: refusing,
    fairLock: refusing,
    fencedLock: refusing,
    groupLock: refusing,
    readLock: refusing,
    writeLock: refusing,
    semaphore: refusing,
    permitExpirableSemaphore: refusing,
    countDownLatch: refusing,
    singleFlight: refusing,
    pubSub: refusing,
    watch: () => {},
    refuse: () => {},
    open: () => {},
    close: async () => {},
  };
};
