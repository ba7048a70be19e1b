/**
 * Types of a driver for another client library of Redis, and cases for any test runner that say whether one keeps its promises.
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
