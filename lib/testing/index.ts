/** @module nest-redis-lock/testing */
export { LeakedLocksError, type TestHolder, type TestWaiter, UnreadFencesError } from './lock-testing.js';
export { FakeLocks } from './fake-locks.js';
export type { FakeLockCall } from './fake-locks.js';
export { lockedOptions } from './locked-options.js';
export type { LockDeclaration } from '../decorators/decorated-method.js';
export { LockTesting, type LockTestingProvider, type ProviderOverrides } from './lock-testing.js';
export { LockTestingModule } from './lock-testing.module.js';
export type { LockTestingOptions } from './lock-testing.options.js';
export { ManualClock } from './manual-clock.js';
export type { LockedCallRecord } from './recording-executor.js';
export type { Side } from './test-connection.js';
