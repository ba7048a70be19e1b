/**
 * The calls of the Web Locks API, as `navigator.locks` has them, with locks in Redis: for code that runs in browsers and on
 * servers.
 *
 * @module nest-redis-lock/web-locks
 */
export { RedisLockManager } from './redis-lock-manager.js';
export type {
  WebLock,
  WebLockCallback,
  WebLockInfo,
  WebLockMode,
  WebLockOptions,
  WebLockSnapshot,
} from './web-lock.js';
