/**
 * Types of a driver for another client library of Redis, and cases for any test runner: whether a driver keeps its promises, and
 * whether a server, or a proxy, does what locks need of it.
 *
 * @module nest-redis-lock/driver-kit
 */
export {
  type Command,
  type ConnectTerms,
  type DriverConnection,
  DriverError,
  type DriverListener,
  type FailureKind,
  type RedisDriver,
} from '../backend/driver/redis-driver.js';
export { type DriverCase, driverCases } from './driver-cases.js';
export { type StoreCase, storeCases } from './store-cases.js';
export type { StoreUnderTest } from './store-trial.js';
