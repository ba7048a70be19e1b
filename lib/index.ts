/** @module nest-redis-lock */
export {
  type CommandOutcome,
  FenceHeaderError,
  LockAbortedError,
  LockConflictError,
  LockDeadlockError,
  LockError,
  type LockErrorCode,
  type LockErrorContext,
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
export type { DeadlockOptions } from './module/options/deadlock.options.js';
export type { OnInversion } from './deadlock/lock-order.js';
export { LockExceptionFilter } from './module/lock-exception.filter.js';
export type { ErrorResponseSettings, LockErrorResponse } from './module/lock-error-response.js';
export { LockService } from './lock.service.js';
export { createLocks, type Locks } from './module/create-locks.js';
export { getLocksToken, InjectLocks } from './module/locks-token.js';
export { currentHold } from './reentrancy/current-hold.js';
export { CurrentHold } from './decorators/current-hold.decorator.js';
export { type HandlerKey, lockHandler } from './decorators/lock-handler.interceptor.js';
export { Locked } from './decorators/locked.decorator.js';
export type { CallerSignal } from './decorators/caller-signal.js';
export type { LockedOptions, LockHandlerOptions } from './decorators/locked.options.js';
export { SingleFlight } from './decorators/single-flight.decorator.js';
export type { SharedMethodOptions } from './decorators/single-flight.options.js';
export type { ReleaseAfter, ReleaseContext } from './decorators/release-after.js';
export type { KeyFunction } from './decorators/locked.types.js';
export type { HexadecimalId, KeyPart } from './keys/key-encoding.js';
export { lockName } from './keys/lock-name-tag.js';
export { LockedHandler } from './decorators/lock-handler.interceptor.js';
export type { Fencing, NodeResult } from './backend/lock-operations.js';
export type { GivenClient as RedisClient } from './backend/connection/redis-client.js';
export { type LockScript, lockScripts } from './backend/scripts/all-scripts.js';
export type {
  AddressMap,
  ClusterClient,
  ClusterInput,
  ClusterSeed,
  ConnectionInput,
} from './backend/connection/connection-input.js';
export type { EventListener, EventOf, LockEvent, LockEventType } from './events/lock-events.js';
export type { DeadlockStep } from './events/deadlock-step.js';
export type { BlockedLock, LockNotice, OfHold } from './events/lock-notices.js';
export type { HowReleased, LifeCycleEvent, LifeCycleType, LockKindName, OfLock } from './events/life-cycle-events.js';
export type { HoldTrace, WaitTrace } from './events/hold-tracing.js';
export type { ConnectionStats, LockStats, TemplateStats } from './runtime/lock-stats.js';
export type { Affected, Outage, Recovery } from './events/outage.js';
export type { HolderRecord } from './inspection/holder-record.js';
export type {
  InspectedHolder,
  InspectedKind,
  InspectedLock,
  InspectedNode,
  InspectedPermits,
  InspectedWaiting,
  ListedLock,
} from './inspection/inspected-lock.js';
export type { ListOptions } from './inspection/list-locks.js';
export type { DetachOptions } from './holds/detaching/detach.options.js';
export type { Hold, HoldRelease, HoldSummary } from './holds/hold.js';
export type { UpgradeOptions } from './holds/converting/upgrade.options.js';
export type { HoldToken } from './holds/detaching/hold-token.js';
export type { FencedHold, FencedLock } from './locks/fenced-lock.js';
export type { LeaderElection, LeaderElectionOptions } from './coordination/leader-election.js';
export type { Lock } from './locks/lock.js';
export type { ConnectionChoice } from './locks/options/connection-choice.js';
export type { KindName, LockKindOptions } from './locks/options/kind.options.js';
export type { LimitOptions, LimitOrder, LockOptions } from './locks/options/lock.options.js';
export type { NonReentrantLockOptions } from './locks/non-reentrant-lock.js';
export type { CountDownLatch, SetCountOptions } from './synchronizers/count-down-latch.js';
export type { MultiHold } from './holds/multi-hold.js';
export type { SharedResultOptions, SingleFlightOptions } from './coordination/single-flight.options.js';
export type { ErrorClass } from './coordination/error-codec.js';
export type { AsJson } from './coordination/flight-result.js';
export type { HandoverOptions } from './module/options/handover.options.js';
export type { HolderRecordOptions } from './module/options/holder-records.options.js';
export type { ReplicaOptions } from './module/options/replica.options.js';
export type { Permit } from './synchronizers/permit.js';
export type { PermitOptions } from './synchronizers/permit.options.js';
export type { PermitExpirableSemaphore } from './synchronizers/permit-expirable-semaphore.js';
export type { Semaphore, SetPermitsOptions } from './synchronizers/semaphore.js';
export type { TtlOptions } from './synchronizers/ttl.options.js';
export type {
  ConflictContext,
  ConflictHandler,
  OnConflict,
  WithLockOptions,
} from './locks/options/with-lock.options.js';
export type { AcquireOptions, LeaseOptions, WaitOptions } from './waiting/acquire.options.js';
export type { ReadWriteLock, ReadWriteLockOptions } from './locks/read-write-lock.js';
export {
  RedisLockModule,
  type RedisLockModuleExtras,
  type RedisLockOptionsFactory,
  type ReturnedLockOptions,
} from './module/redis-lock.module.js';
export { LOCK_OPTIONS } from './module/redis-lock.constants.js';
export type { RedisLockOptions } from './module/options/redis-lock.options.js';
export type { RedLockOptions } from './module/options/red-lock.options.js';
export type { Duration } from './time/duration.js';
export { type ScheduledTask, type Scheduler, WATCHDOG_SCHEDULER } from './time/scheduler.js';
export { type Backoff, constantBackoff, type ExponentialBackoff, exponentialBackoff } from './waiting/backoff.js';
