import type { OwnerId } from '../context/ids.js';

/** What one of several independent nodes said, for the `details.nodes` of errors. */
export interface NodeResult {
  /** Where it is: `host:port`, never with a password. */
  readonly node: string;
  /** `pending`: it had not answered yet when what the others said was enough. */
  readonly outcome: string;
  /** Who has the lock there, where somebody has. */
  readonly holder?: OwnerId;
  /** Why it did not answer. */
  readonly error?: unknown;
}
