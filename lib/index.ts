export {
  type CommandOutcome,
  LockAbortedError,
  LockConflictError,
  LockError,
  type LockErrorContext,
  LockLostError,
  LockNameError,
  LockNotWiredError,
  LockOptionsError,
  LockOwnershipError,
  LockQueueFullError,
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
  LockUnsafeError,
  WrongKeyTypeError,
} from './errors.js';
export { LockExceptionFilter } from './module/lock-exception.filter.js';
export { LockService } from './lock.service.js';
export { type HandlerKey, lockHandler } from './decorators/lock-handler.interceptor.js';
export { Locked } from './decorators/locked.decorator.js';
export type {
  ConflictContext,
  ConflictHandler,
  LockedOptions,
  LockHandlerOptions,
} from './decorators/locked.options.js';
export { SingleFlight } from './decorators/single-flight.decorator.js';
export type { SharedMethodOptions } from './decorators/single-flight.options.js';
export type { ReleaseAfter, ReleaseContext } from './decorators/release-after.js';
export type { KeyFunction, KeyPart } from './decorators/locked.types.js';
export type { Fencing, NodeResult } from './backend/lock-operations.js';
export type { RedisClient } from './backend/redis/connection/redis-client.js';
export { type LockScript, lockScripts } from './backend/redis/scripts/all-scripts.js';
export type {
  AddressMap,
  ClusterClient,
  ClusterInput,
  ClusterSeed,
  ConnectionInput,
} from './backend/redis/connection/connection-input.js';
export type { LockEvent } from './events/lock-events.js';
export type { Affected, Outage, Recovery } from './events/outage.js';
export type { Hold, HoldRelease, HoldSummary } from './holds/hold.js';
export type { FencedHold, FencedLock } from './locks/fenced-lock.js';
export type { LeaderElection, LeaderElectionOptions } from './coordination/leader-election.js';
export type { Lock } from './locks/lock.js';
export type { ConnectionChoice, LockKindOptions, LockOptions } from './locks/lock.options.js';
export type { NonReentrantLockOptions } from './locks/non-reentrant-lock.js';
export type { CountDownLatch } from './synchronizers/count-down-latch.js';
export type { MultiHold } from './holds/multi-hold.js';
export type { SharedResultOptions, SingleFlightOptions } from './coordination/single-flight.options.js';
export type { ErrorClass } from './coordination/error-codec.js';
export type { AsJson } from './coordination/flight-result.js';
export type { HandoverOptions } from './module/options/handover.options.js';
export type { ReplicaOptions } from './module/options/replica.options.js';
export type { Permit } from './synchronizers/permit.js';
export type { PermitOptions } from './synchronizers/permit.options.js';
export type { PermitExpirableSemaphore } from './synchronizers/permit-expirable-semaphore.js';
export type { Semaphore, SetPermitsOptions } from './synchronizers/semaphore.js';
export type { AcquireOptions, WaitOptions } from './waiting/acquire.options.js';
export type { ReadWriteLock, ReadWriteLockOptions } from './locks/read-write-lock.js';
export {
  RedisLockModule,
  type RedisLockModuleExtras,
  type RedisLockOptionsFactory,
  type ReturnedLockOptions,
} from './module/redis-lock.module.js';
export type { RedisLockOptions } from './module/options/redis-lock.options.js';
export type { RedlockOptions } from './module/options/redlock.options.js';
export type { Duration } from './time/duration.js';
export { type ScheduledTask, type Scheduler, WATCHDOG_SCHEDULER } from './time/scheduler.js';
export { type Backoff, constantBackoff, type ExponentialBackoff, exponentialBackoff } from './waiting/backoff.js';
