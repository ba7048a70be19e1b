import type { FlightServices } from '../coordination/single-flight.js';
import { validateName } from '../keys/lock-name.js';
import type { LockServices } from '../locks/reentrant-lock.js';
import type { LatchServices } from '../synchronizers/count-down-latch.js';
import type { PermitServices } from '../synchronizers/permit-expirable-semaphore.js';
import type { SemaphoreServices } from '../synchronizers/semaphore.js';
import type { AcquireDefaults } from '../waiting/acquire.options.js';
import type { Drainable } from '../waiting/acquirer.js';

/** @throws LockNameError */
export const fullName = (name: string, { keyPrefix, names }: AcquireDefaults): string => {
  // Nothing becomes a name by its prefix alone.
  if (typeof name !== 'string' || name === '') return validateName(name, names);
  return validateName(keyPrefix + name, names);
};

/** What everything on one connection shares. Two connections are two owners, also for the same name. */
export interface LockRuntime extends LockServices, FlightServices, SemaphoreServices, PermitServices, LatchServices {
  /** Everything that is being acquired, of whatever kind. */
  readonly acquirer: Drainable;
}
