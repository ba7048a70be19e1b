import type { LockUnavailableError } from '../errors.js';

/** What fails while a server cannot be reached: all locks, those in the slots that it serves, or its vote for a RedLock. */
export type Affected = 'all-locks' | 'its-slots' | 'its-vote';

/** A server that is needed could not be reached for as long as any command waits for it. */
export interface Outage {
  /** `host:port`, the path of a socket, `master "name" of Sentinels`, or `cluster of host:port, …`. */
  readonly server: string;
  /** Which server, what happened, and what is likely to help: one sentence without its full stop, and without a password. */
  readonly reason: string;
  /** What fails meanwhile. */
  readonly affects: Affected;
  /** What calls are told. `permanent` says that trying again does not help. */
  readonly error: LockUnavailableError;
}

/** The end of an {@link Outage}. */
export interface Recovery {
  readonly server: string;
  /** How long it was out of reach, ms. */
  readonly after: number;
  /** Whether another server has taken its place, in a cluster. */
  readonly isReplaced: boolean;
}

/** How a sentence names a server: "Redis at 127.0.0.1:6379", "Redis cluster of a:7000, b:7000". */
export const titleOf = (server: string): string =>
  /^(master|cluster)( |$)/.test(server) ? `Redis ${server}` : `Redis at ${server}`;
