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
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
  WrongKeyTypeError,
} from './errors.js';
export { LockExceptionFilter } from './lock-exception.filter.js';
export { LockService } from './lock.service.js';
export { type HandlerKey, lockHandler } from './locked/lock-handler.js';
export { Locked } from './locked/locked.decorator.js';
export { LockedInterceptor } from './locked/locked.interceptor.js';
export type { ConflictContext, ConflictHandler, LockedOptions } from './locked/locked.options.js';
export type { KeyFunction, KeyPart } from './locked/locked.types.js';
export type { ConnectionInput, RedisClient } from './backend/redis/client.js';
export type { HoldRelease } from './primitives/grant.js';
export type { Hold } from './primitives/hold.js';
export type { Lock } from './primitives/lock.js';
export type { LockOptions } from './primitives/lock.options.js';
export { RedisLockModule, type RedisLockModuleExtras, type RedisLockOptionsFactory } from './redis-lock.module.js';
export type { RedisLockOptions } from './redis-lock.options.js';
export type { Duration } from './time/duration.js';
export { type ScheduledTask, type Scheduler, WATCHDOG_SCHEDULER } from './time/scheduler.js';
