/**
 * All that applications usually name. What else there is to name is in `nest-redis-lock/advanced`.
 *
 * @module nest-redis-lock
 */
export * from './standalone.js';
export { LockExceptionFilter } from './module/lock-exception.filter.js';
export type { LockErrorResponse } from './module/lock-error-response.js';
export { getLocksToken, InjectLocks } from './module/locks-token.js';
export { CurrentHold } from './decorators/current-hold.decorator.js';
export { Locked } from './decorators/locked.decorator.js';
export type { LockedOptions } from './decorators/locked.options.js';
export { OnElected } from './decorators/on-elected.decorator.js';
export { LeaderOnly } from './decorators/leader-only.decorator.js';
export { SingleFlight } from './decorators/single-flight.decorator.js';
export { LockedHandler, lockHandler } from './decorators/lock-handler.interceptor.js';
export { RedisLockModule } from './module/redis-lock.module.js';
export { LOCK_OPTIONS } from './module/redis-lock.constants.js';
export { type ScheduledTask, type Scheduler, WATCHDOG_SCHEDULER } from './time/scheduler.js';
