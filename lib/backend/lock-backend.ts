import type { RedisReadLock, RedisWriteLock } from './kinds/read-write/read-write-lock.js';
import type { RedisGrantingLock } from './kinds/lock/granting-lock.js';
import type { RedisFairLock } from './kinds/fair-lock/fair-lock.js';
import type { RedisLatch, RedisSemaphore } from './kinds/counters/counters.js';
import type { RedisFencedLock } from './kinds/fenced-lock/fenced-lock.js';
import type { RedisLimit } from './kinds/limit/limit.js';
import type { RedisPermits } from './kinds/permits/permits.js';
import type { RedisInspection } from './kinds/inspection/redis-inspection.js';
import type { RedisBlockedHolds } from './kinds/deadlock/blocked-holds.js';
import type { RedisResultStore } from './kinds/single-flight/result-store.js';
import type { RedisConversion } from './kinds/read-write/conversion.js';
import type { RedisTakeOver } from './kinds/lock/take-over.js';
import type { BackendListener, ServerHealth } from './backend-listener.js';
import type { PubSub } from './pubsub.js';
import type { LockOperations } from './lock-operations.js';
import { LockOptionsError } from '../errors.js';

/** The methods of a class of the backend that callers above it may use. */
type Operations<T> = Omit<T, 'confirmed' | 'disown' | 'finish'>;

/** Port to the state of locks: Redis, or the memory of this process. */
export interface LockBackend {
  /** The plain lock, base of every exclusive kind (Redisson: `getLock`; with silent releases `getSpinLock`). */
  readonly lock: Operations<RedisGrantingLock>;
  /** The same data, and a queue beside it: first come, first served (Redisson: `getFairLock`). */
  readonly fairLock: Operations<RedisFairLock>;
  /** The same data, with a fencing token beside it (Redisson: `getFencedLock`). */
  readonly fencedLock: Operations<RedisFencedLock>;
  /** Several fields of a group at once, by the names of `groupLockName` (Redisson: `getMultiLock(group, values)`). */
  readonly groupLock: LockOperations;
  /** Permits of limits on concurrency. Redisson has no counterpart. */
  readonly limit: Operations<RedisLimit>;
  /** The halves of a lock for many readers or one writer (Redisson: `getReadWriteLock`). */
  readonly readLock: Operations<RedisReadLock>;
  readonly writeLock: Operations<RedisWriteLock>;
  /** Makes holds of one half holds of the other. Redisson has only the way from write to read. */
  readonly conversion: Operations<RedisConversion>;
  /** Permits with ids and leases (Redisson: `getPermitExpirableSemaphore`). */
  readonly permitExpirableSemaphore: Operations<RedisPermits>;
  /** Permits without owners (Redisson: `getSemaphore`). */
  readonly semaphore: Operations<RedisSemaphore>;
  /** Redisson: `getCountDownLatch`. */
  readonly countDownLatch: Operations<RedisLatch>;
  /** Results of concurrent calls that are executed once. */
  readonly singleFlight: Operations<RedisResultStore>;
  /** Passes plain, fair, fenced and spin locks on to an owner that the holder has named. */
  readonly takeOver: Operations<RedisTakeOver>;
  /** Reads who holds and who waits. */
  readonly inspection: Operations<RedisInspection>;
  /** Which holds belong to code that waits for another lock. */
  readonly blockedHolds: Operations<RedisBlockedHolds>;
  readonly pubSub: PubSub;
  /** Reports changes of the servers to `watcher` from now on. */
  watch(watcher: BackendListener): void;
  /** Refuses every request from now on, with this error. */
  refuse(reason: Error): void;
  /** Asks every server whether it answers within `ms`; empty if there is none. Never rejects. */
  check(ms: number): Promise<readonly ServerHealth[]>;
  /** Starts to connect, if there is a server to connect to. Does not wait for it. */
  open(): void;
  /**
   * Finishes background work as far as possible in half of `ms`, and closes its connections in the time left then.
   * Never rejects.
   */
  close(ms: number): Promise<void>;
}

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
