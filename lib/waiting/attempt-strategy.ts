import type { CarriedEntry, NodeResult, ReleaseOutcome } from '../backend/lock-operations.js';
import type { OwnerId } from '../context/owner-ids.js';
import type { PubSub } from '../backend/pubsub.js';
import type { LockUnavailableError } from '../errors.js';

/** How many permits of a limit are in use, and how many may be for this attempt. */
export interface PermitsInUse {
  readonly inUse: number;
  readonly limit: number;
  /** Number of the permit that was acquired, if it has one. */
  readonly slot?: number;
}

/** The outcome of an attempt that acquired nothing. */
export interface Busy extends Partial<PermitsInUse> {
  /** The owner that holds the lock, if known. */
  readonly holder?: OwnerId;
  /** The owner whose turn it is, if no holder keeps others out. */
  readonly next?: OwnerId;
  /** Whether that is a waiting writer, which goes before readers. Absent: it is the head of the queue. */
  readonly isWriter?: boolean;
  /** Permits that are available (semaphores only). */
  readonly available?: number;
  /** Whether the number of permits was ever set (semaphores only). */
  readonly isSet?: boolean;
  /** Milliseconds until this may change without an announcement; -1: never. */
  readonly remaining: number;
  /** The replies of the nodes, if the lock is kept on several independent ones. */
  readonly nodes?: readonly NodeResult[];
}

/** The outcome of one attempt. */
export type AttemptResult<Got> = { readonly got: Got } | Busy;

/** Takes what is wanted from what a grant has left for others. Returns whether that was enough. */
export type Take<Wanted> = (wanted: Wanted) => boolean;

/** The outcome of the last attempt that granted nothing: busy, or no answer. `undefined`: unknown. */
export type LastOutcome = Busy | LockUnavailableError | undefined;

/** Receives what happens while a client waits on the server. */
export interface ServerWaitListener<Got> {
  /** The client that released gave it to this one. */
  onGranted(got: Got): void;
  /** A grant may have been missed: an attempt tells. */
  onMissed(): void;
  /** Grants cannot become known; repeating does not help. */
  onFailed(error: unknown): void;
}

/** The entry with which a releasing client goes on waiting. */
export interface NextEntry<Got> extends CarriedEntry {
  /**
   * To be called after the release. Returns what the client got by it.
   * @param outcome `undefined`: unknown; the backend goes on, and tells the entry when it has settled.
   */
  afterRelease(outcome: ReleaseOutcome | undefined): Got | undefined;
}

/**
 * Waits for something contended on the server too, as one client among those that wait for it: the client that releases
 * gives it to the next. One for each name and client, whatever the number of its waiters.
 */
export interface ServerWait<Wanted, Got> {
  /** Whether a grant would become known, so that the client can wait. */
  readonly isListening: boolean;
  /** Whether the client may have an entry on the server with this wish. */
  isWaiting(wanted: Wanted): boolean;
  /** Listens for grants from now on. */
  listen(): void;
  /**
   * Makes an attempt. If it acquires nothing, the client waits from now on.
   * @throws LockUnavailableError, LockKeyTypeError
   */
  attempt(wanted: Wanted): Promise<AttemptResult<Got>>;
  /** The entry for a release to carry; `undefined`: the client waits already, or cannot. */
  entryFor(wanted: Wanted): NextEntry<Got> | undefined;
  /** Ends the wait; another attempt begins the next. What was granted meanwhile is given to the next client. */
  withdraw(): void;
  /** Ends the wait for good: what was granted meanwhile is given to the next client. */
  close(): void;
}

/** Makes, undoes and hands over single attempts to acquire something contended. */
export interface AttemptStrategy<Wanted, Got extends object> {
  /**
   * Makes one attempt. If its outcome stays unknown, whatever it acquired is released in the background.
   * @throws LockUnavailableError, LockKeyTypeError
   */
  attempt(name: string, wanted: Wanted): Promise<AttemptResult<Got>>;
  /** Releases `got`, which no waiter wants any more. Continues in the background if the first request fails. */
  undo(name: string, got: Got): void;
  /**
   * Converts `got` for a hand-over to a waiter that wants `wanted`; `undefined`: `got` must be released instead.
   * Absent: nothing is ever handed over.
   */
  transfer?(got: Got, wanted: Wanted): Got | undefined;
  /** Whether what the server gave this client is what a waiter wants. Absent: it always is. */
  isWanted?(got: Got, wanted: Wanted): boolean;
  /**
   * Makes what the server gave this client what its waiter wants, before the waiter gets it. If that fails, `got` is
   * released.
   * @throws LockUnavailableError
   */
  adjust?(name: string, got: Got, wanted: Wanted): Promise<AttemptResult<Got>>;
  /** Waits on the server, for all waiters of one name in this process. Absent, or `undefined`: that is not possible. */
  waitOnServer?(name: string, pubSub: PubSub, listener: ServerWaitListener<Got>): ServerWait<Wanted, Got> | undefined;
  /** The state other waiters should assume after a grant; `undefined` lets the next one try immediately. */
  outcomeAfterGrant(got: Got): Busy | undefined;
  /**
   * The permits that a grant has left, so that the attempts for so many waiters are made together. Absent: a grant
   * excludes the other waiters.
   */
  leftAfter?(got: Got): Take<Wanted>;
  /**
   * Whether `wanted` may still succeed after `found`. Must be false for the request that produced `found`. If absent,
   * one failed attempt stops all waiters.
   */
  mayStillSucceed?(wanted: Wanted, found: Busy): boolean;
  /** Whether a number above 1 on the channel is a lease, ms. Absent: it is a number of permits, as in semaphores. */
  readonly hearsLeases?: boolean;
  /** Whether one grant serves all waiters that were present when the attempt began. Absent: no. */
  readonly isShared?: boolean;
  /** Resolves when no attempt is in flight and nothing is being released. */
  settled(): Promise<void>;
}
