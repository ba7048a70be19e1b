import type { InFlight } from '../concurrency.js';
import type { FlightServices } from '../coordination/single-flight.js';
import type { LockServices } from '../locks/reentrant-lock.js';
import type { LatchServices } from '../synchronizers/count-down-latch.js';
import type { PermitServices } from '../synchronizers/permit-expirable-semaphore.js';
import type { SemaphoreServices } from '../synchronizers/semaphore.js';
import type { Drainable } from '../waiting/acquirer.js';

/** Services shared by everything on one connection. Two connections are two owners, even for the same name. */
export interface LockRuntime extends LockServices, FlightServices, SemaphoreServices, PermitServices, LatchServices {
  /** All acquirers of the connection. */
  readonly acquirer: Drainable;
  /** Attachments of detached holds in flight. */
  readonly attaching: InFlight;
}
