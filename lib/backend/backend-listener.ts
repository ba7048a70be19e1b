import type { Affected, Outage, Recovery } from '../events/outage.js';

/** Whether locks can be acquired on one server now. */
export interface ServerHealth {
  /** `host:port`, the path of a socket, `master "name" of Sentinels`, or `cluster` while its servers are unknown. */
  readonly server: string;
  /** Effect of its being down: no locks at all, none in its slots, or no vote of it for a RedLock. */
  readonly affects: Affected;
  /** Whether it answers commands, and grants locks. */
  readonly commands: 'up' | 'down';
  /** Whether it sends the messages that wake waiters; without them, waiters poll. `unused`: no caller waits for any. */
  readonly messages: 'up' | 'down' | 'unused';
  /** Why it is down, as a sentence without its full stop, and without a password. */
  readonly problem?: string;
}

/**
 * A change of unknown outcome that is not retried any more: a change of a number, which no lease corrects. Permits of
 * an `acquire` or `drain` may be missing, a `release` or `count-down` may not have happened.
 */
export interface GivenUp {
  /** The name of the semaphore or latch. */
  readonly name: string;
  readonly request: 'acquire' | 'drain' | 'release' | 'count-down';
  /** Number of permits or counts; `undefined` for a `drain`, which takes all there are. */
  readonly count: number | undefined;
  /** Why the change could not be confirmed: the error of the last attempt that was answered, or of the change itself. */
  readonly error: unknown;
}

/** Listener for changes of the servers, beside the results of requests. */
export interface BackendListener {
  /** A server answers again, or another has replaced it: holds may be lost. */
  reconnected(): void;
  /** The wall clock of a server, which ends leases there, was set by this many ms; negative: back. */
  clockJumped(ms: number): void;
  /** A change has an outcome that stays unknown. */
  gaveUp(what: GivenUp): void;
  /** Called once for each outage. A server that is back within one command time-out had none. */
  unavailable(outage: Outage): void;
  /** Called once for each outage that was reported. */
  available(recovery: Recovery): void;
}

export const noListener: BackendListener = {
  reconnected: () => {},
  clockJumped: () => {},
  gaveUp: () => {},
  unavailable: () => {},
  available: () => {},
};
