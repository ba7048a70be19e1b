import type { LockUnavailableError } from '../errors.js';

/** Affected while a server is unreachable: all locks, the locks in its slots, or its vote for a RedLock. */
export type Affected = 'all-locks' | 'its-slots' | 'its-vote';

/** A required server was unreachable for as long as any command waits for it. */
export interface Outage {
  /** `host:port`, the path of a socket, `master "name" of Sentinels`, or `cluster of host:port, …`. */
  readonly server: string;
  /** Server, cause and likely remedy: one sentence without its full stop, and without a password. */
  readonly reason: string;
  /** The commands that fail during the outage. */
  readonly affects: Affected;
  /** The error that calls receive. `permanent` means that a retry does not help. */
  readonly error: LockUnavailableError;
}

/** The end of an {@link Outage}. */
export interface Recovery {
  readonly server: string;
  /** How long the server was unreachable, ms. */
  readonly after: number;
  /** Whether another server has taken over its role, in a cluster. */
  readonly isReplaced: boolean;
}

/** Title of a server in a sentence: "Redis at 127.0.0.1:6379", "Redis cluster of a:7000, b:7000". */
export const titleOf = (server: string): string =>
  /^(master|cluster)( |$)/.test(server) ? `Redis ${server}` : `Redis at ${server}`;
