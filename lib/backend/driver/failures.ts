import { DriverError, type FailureKind } from './redis-driver.js';
import { ioredisFailure } from './ioredis-driver.js';

/**
 * How a command failed, as far as that is known. The errors of our own drivers are not wrapped, which would cost a promise
 * for each command.
 */
export const kindOf = (error: unknown): FailureKind | undefined => {
  if (!(error instanceof Error)) return undefined;
  return error instanceof DriverError ? error.kind : ioredisFailure(error);
};
