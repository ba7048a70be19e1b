import type { LockBackend } from '../backend/lock-backend.js';
import type { InFlight } from '../concurrency.js';
import type { LockEvents } from '../events/lock-events.js';
import type { AcquireServices } from '../waiting/acquire.options.js';

/** Services shared by the synchronizers of one connection. */
export interface SynchronizerServices extends AcquireServices {
  readonly backend: LockBackend;
  readonly events: LockEvents;
  /** The name of the connection. */
  readonly connection: string;
  readonly shutdown: AbortSignal;
  /** Work that runs with permits and releases them at its end. */
  readonly permitsInUse: InFlight;
}
