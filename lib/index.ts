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
export { LockExceptionFilter } from './lock-exception.filter.js';
export { LockService } from './lock.service.js';
export { type HandlerKey, lockHandler } from './locked/lock-handler.js';
export { Locked } from './locked/locked.decorator.js';
export type { ConflictContext, ConflictHandler, LockedOptions, LockHandlerOptions } from './locked/locked.options.js';
export { SingleFlight } from './locked/single-flight.decorator.js';
export type { SharedMethodOptions } from './locked/single-flight.options.js';
export type { ReleaseAfter, ReleaseContext } from './locked/locked.release.js';
export type { KeyFunction, KeyPart } from './locked/locked.types.js';
export type { Fences } from './backend/fenced-transitions.js';
export type { NodeResult } from './backend/node-result.js';
export type { RedisClient } from './backend/redis/client.js';
export { type LockScript, lockScripts } from './backend/redis/probe/lock-scripts.js';
export type {
  AddressMap,
  ClusterClient,
  ClusterInput,
  ClusterSeed,
  ConnectionInput,
} from './backend/redis/connection-input.js';
export type { LockEvent } from './observability/lock-events.js';
export type { Affected, Outage, Recovery } from './observability/outage.js';
export type { Hold, HoldRelease, HoldSummary } from './primitives/hold.js';
export type { FencedHold, FencedLock } from './primitives/fenced-lock.js';
export type { LeaderElection, LeaderElectionOptions } from './primitives/leader-election.js';
export type { Lock } from './primitives/lock.js';
export type { ConnectionChoice } from './primitives/connections.js';
export type { AcquireOptions, LockOptions } from './primitives/lock.options.js';
export type { LockKindOptions } from './primitives/lock-choice.js';
export type { NonReentrantLockOptions } from './primitives/non-reentrant-lock.js';
export type { CountDownLatch } from './primitives/count-down-latch.js';
export type { MultiHold } from './primitives/multi-hold.js';
export type { SharedResultOptions, SingleFlightOptions } from './primitives/flight.options.js';
export type { ErrorClass } from './primitives/shared-errors.js';
export type { AsJson } from './primitives/shared-result.js';
export type { HandoverOptions } from './primitives/handover.options.js';
export type { ReplicaOptions } from './primitives/replica.options.js';
export type { Permit } from './primitives/permit.js';
export type { PermitOptions } from './primitives/permit.options.js';
export type { PermitExpirableSemaphore } from './primitives/permit-expirable-semaphore.js';
export type { Semaphore, SetPermitsOptions } from './primitives/semaphore.js';
export type { WaitOptions } from './primitives/wait.options.js';
export type { ReadWriteLock, ReadWriteLockOptions } from './primitives/read-write-lock.js';
export {
  RedisLockModule,
  type RedisLockModuleExtras,
  type RedisLockOptionsFactory,
  type ReturnedLockOptions,
} from './redis-lock.module.js';
export type { RedisLockOptions } from './redis-lock.options.js';
export type { RedlockOptions } from './redis-lock.redlock-options.js';
export type { Duration } from './time/duration.js';
export { type ScheduledTask, type Scheduler, WATCHDOG_SCHEDULER } from './time/scheduler.js';
export { type Backoff, constantBackoff, type ExponentialBackoff, exponentialBackoff } from './waiting/backoff.js';
