/**
 * Names that few applications need: parts of options, inspections, statistics, traces, single events, the backoffs of spin locks,
 * and the scripts that an ACL has to allow. It loads the same modules as `nest-redis-lock`.
 *
 * @module nest-redis-lock/advanced
 */
export type { CommandOutcome, LockErrorContext } from './errors.js';
export type { DeadlockOptions } from './module/options/deadlock.options.js';
export type { OnInversion } from './deadlock/lock-order.js';
export type { ErrorResponseSettings } from './module/lock-error-response.js';
export type { HandlerKey } from './decorators/handler-key.js';
export type { CallerSignal } from './decorators/caller-signal.js';
export type { LockHandlerOptions } from './decorators/locked.options.js';
export type { SingleFlightMethodOptions } from './decorators/single-flight.options.js';
export type { ReleaseAfter, ReleaseContext } from './decorators/release-after.js';
export type { KeyFunction } from './decorators/locked.types.js';
export type { HexadecimalId, KeyPart } from './keys/key-encoding.js';
export type { Fencing, NodeResult } from './backend/lock-operations.js';
export type { DriverName } from './backend/driver/drivers.js';
export type { GivenClient, GivenCluster } from './backend/driver/given-client.js';
export type {
  AddressMap,
  ClusterAddresses,
  ClusterSeed,
  SentinelAddress,
  ServerAddress,
  ServerOptions,
} from './backend/driver/server-options.js';
export { type LockScript, lockScripts } from './backend/scripts/all-scripts.js';
export type { ClusterInput } from './backend/cluster/cluster-input.js';
export type { ConnectionInput } from './backend/redis-target.js';
export type { LockLogger } from './events/event-log.js';
export type { EventListener, EventOf, LockEventType } from './events/lock-events.js';
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
export type { HoldRelease, HoldSummary } from './holds/hold.js';
export type { UpgradeOptions } from './holds/converting/upgrade.options.js';
export type { LeaderElectionOptions } from './coordination/leader-election.js';
export type { ConnectionChoice } from './locks/options/connection-choice.js';
export type { KindName, LockKindOptions } from './locks/options/kind.options.js';
export type { ManualLockOptions, OwnerChoice } from './locks/options/lock.options.js';
export type { NonReentrantLockOptions } from './locks/non-reentrant-lock.js';
export type { SetCountOptions } from './synchronizers/count-down-latch.js';
export type { SharedResultOptions, SingleFlightOptions } from './coordination/single-flight.options.js';
export type { ErrorClass } from './coordination/error-codec.js';
export type { AsJson } from './coordination/flight-result.js';
export type { HandoverOptions } from './module/options/handover.options.js';
export type { HolderRecordOptions } from './module/options/holder-records.options.js';
export type { RenewInWorker } from './module/options/renew-in.options.js';
export type { ReplicaOptions } from './module/options/replica.options.js';
export type { PermitOptions } from './synchronizers/permit.options.js';
export type { SetPermitsOptions } from './synchronizers/semaphore.js';
export type { TtlOptions } from './synchronizers/ttl.options.js';
export type { ConflictContext, ConflictHandler, OnConflict } from './locks/options/lock.options.js';
export type { LeaseOptions, WaitOptions } from './waiting/acquire.options.js';
export type { ReadWriteLockOptions } from './locks/read-write-lock.js';
export type {
  RedisLockModuleExtras,
  RedisLockOptionsFactory,
  ReturnedLockOptions,
} from './module/redis-lock.module.js';
export type { RedLockOptions } from './module/options/red-lock.options.js';
export { type Backoff, constantBackoff, type ExponentialBackoff, exponentialBackoff } from './waiting/backoff.js';
