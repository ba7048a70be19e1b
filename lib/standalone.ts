/**
 * Locks of scripts, workers and functions, without Nest: made by {@link createLocks}.
 *
 * @module nest-redis-lock/standalone
 */
export {
  LockAbortedError,
  LockConflictError,
  LockDeadlockError,
  LockError,
  type LockErrorCode,
  LockLostError,
  LockNameError,
  LockNotWiredError,
  LockOptionsError,
  LockOrderError,
  LockOwnershipError,
  LockQueueFullError,
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
  LockUnsafeError,
  LockKeyTypeError,
  StaleFenceError,
} from './errors.js';
export { LockService } from './lock.service.js';
export { createLocks, type CreateLocksOptions, type Locks } from './module/create-locks.js';
export { currentHold } from './reentrancy/current-hold.js';
export { lockName } from './keys/lock-name-tag.js';
export type { LockEvent } from './events/lock-events.js';
export type { Hold } from './holds/hold.js';
export type { HoldToken } from './holds/detaching/hold-token.js';
export type { FencedHold, FencedLock } from './locks/fenced-lock.js';
export type { LeaderElection } from './coordination/leader-election.js';
export type { Lock } from './locks/lock.js';
export type { LockOptions } from './locks/options/lock.options.js';
export type { OwnedLock } from './holds/detaching/held-elsewhere.js';
export type { CountDownLatch } from './synchronizers/count-down-latch.js';
export type { MultiHold } from './holds/multi-hold.js';
export type { Permit } from './synchronizers/permit.js';
export type { PermitExpirableSemaphore } from './synchronizers/permit-expirable-semaphore.js';
export type { Semaphore } from './synchronizers/semaphore.js';
export type { WithLockOptions } from './locks/options/lock.options.js';
export type { AcquireOptions } from './waiting/acquire.options.js';
export type { ReadWriteLock } from './locks/read-write-lock.js';
export type { RedisLockOptions } from './module/options/redis-lock.options.js';
export type { Duration } from './time/duration.js';
