/**
 * All that applications usually name. What else there is to name is in `nest-redis-lock/advanced`.
 *
 * @module nest-redis-lock
 */
export {
  FenceHeaderError,
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
export { LockExceptionFilter } from './module/lock-exception.filter.js';
export type { LockErrorResponse } from './module/lock-error-response.js';
export { LockService } from './lock.service.js';
export { createLocks, type Locks } from './module/create-locks.js';
export { getLocksToken, InjectLocks } from './module/locks-token.js';
export { currentHold } from './reentrancy/current-hold.js';
export { CurrentHold } from './decorators/current-hold.decorator.js';
export { Locked } from './decorators/locked.decorator.js';
export type { LockedOptions } from './decorators/locked.options.js';
export { SingleFlight } from './decorators/single-flight.decorator.js';
export { lockName } from './keys/lock-name-tag.js';
export { LockedHandler, lockHandler } from './decorators/lock-handler.interceptor.js';
export type { LockEvent } from './events/lock-events.js';
export type { Hold } from './holds/hold.js';
export type { HoldToken } from './holds/detaching/hold-token.js';
export type { FencedHold, FencedLock } from './locks/fenced-lock.js';
export type { LeaderElection } from './coordination/leader-election.js';
export type { Lock } from './locks/lock.js';
export type { LimitOptions, LockOptions } from './locks/options/lock.options.js';
export type { CountDownLatch } from './synchronizers/count-down-latch.js';
export type { MultiHold } from './holds/multi-hold.js';
export type { Permit } from './synchronizers/permit.js';
export type { PermitExpirableSemaphore } from './synchronizers/permit-expirable-semaphore.js';
export type { Semaphore } from './synchronizers/semaphore.js';
export type { WithLockOptions } from './locks/options/lock.options.js';
export type { AcquireOptions } from './waiting/acquire.options.js';
export type { ReadWriteLock } from './locks/read-write-lock.js';
export { RedisLockModule, type RedisLockOptionsFactory } from './module/redis-lock.module.js';
export { LOCK_OPTIONS } from './module/redis-lock.constants.js';
export type { RedisLockOptions } from './module/options/redis-lock.options.js';
export type { Duration } from './time/duration.js';
export { type ScheduledTask, type Scheduler, WATCHDOG_SCHEDULER } from './time/scheduler.js';
