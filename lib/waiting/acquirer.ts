import type { NodeResult } from '../backend/lock-operations.js';
import type { OwnerId } from '../context/ids.js';
import type { WaitLimit } from '../time/wait-limit.js';
import type { PubSub } from '../backend/lock-backend.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';

/** The outcome of an attempt that acquired nothing. */
export interface Busy {
  /** The owner that holds the lock, if known. */
  readonly holder?: OwnerId;
  /** The owner at the head of the queue, if the lock is free but reserved for it. */
  readonly next?: OwnerId;
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
export type Result<Got> = { readonly got: Got } | Busy;

/** Makes, undoes and hands over single attempts to acquire something contended. */
export interface AttemptStrategy<Wanted, Got extends object> {
  /**
   * Makes one attempt. If its outcome stays unknown, whatever it acquired is released in the background.
   * @throws LockUnavailableError, WrongKeyTypeError
   */
  attempt(name: string, wanted: Wanted): Promise<Result<Got>>;
  /** Releases `got`, which no waiter wants any more. Continues in the background if the first request fails. */
  undo(name: string, got: Got): void;
  /**
   * Converts `got` for a hand-over to a waiter that wants `wanted`; `undefined`: `got` must be released instead.
   * Absent: nothing is ever handed over.
   */
  transfer?(got: Got, wanted: Wanted): Got | undefined;
  /** The state other waiters should assume after a grant; `undefined` lets the next one try immediately. */
  outcomeAfterGrant(got: Got): Busy | undefined;
  /**
   * Whether `wanted` may still succeed after `found`. Must be false for the request that produced `found`. If absent,
   * one failed attempt stops all waiters.
   */
  mayStillSucceed?(wanted: Wanted, found: Busy): boolean;
  /** Whether one grant serves all waiters that were present when the attempt began. Absent: no. */
  readonly isShared?: boolean;
  /** Resolves when no attempt is in flight and nothing is being released. */
  settled(): Promise<void>;
}

/** The steps of a release that concern the waiters of this process. */
export interface HandOver<Got> {
  /** Hands `got` over to the first waiter of this process without asking the server; false: release it instead. */
  handOver(name: string, got: Got): boolean;
  /** Called before the release is sent. */
  beforeRelease(name: string): void;
  /** Called after it was released, had expired, or may be either; `heard`: clients known to have been notified. */
  afterRelease(name: string, heard: number): void;
}

/** Acquires by one attempt, or by waiting. */
export interface Acquirer<Wanted, Got> {
  /**
   * @throws LockConflictError, LockTimeoutError, LockAbortedError, LockShutdownError, LockUnavailableError,
   *   WrongKeyTypeError – with nothing left behind.
   */
  acquire(asked: AcquireContext, wanted: Wanted): Promise<Got>;
  /** Resolves when no attempt is in flight: each is granted, refused or undone. */
  settled(): Promise<void>;
  /** Number of names that have waiters in this process. */
  readonly contended: number;
}

/** The in-flight state of acquirers of any kind. */
export type Drainable = Pick<Acquirer<never, unknown>, 'settled' | 'contended'>;

/** Combines several into one. */
export const drainAll = (parts: readonly Drainable[]): Drainable => ({
  settled: async () => {
    await Promise.all(parts.map((part) => part.settled()));
  },
  get contended() {
    return parts.reduce((sum, part) => sum + part.contended, 0);
  },
});
/** The subject of an acquisition, for error texts and limits. */
export interface AcquireContext {
  /** The kind of thing that is wanted, capitalized for the start of a sentence: `Lock`. */
  readonly what: string;
  readonly name: string;
  readonly template: string | undefined;
  readonly limit: WaitLimit;
}
/** Dependencies that all wait queues of one connection share. */
export interface WaitDependencies {
  readonly pubSub: PubSub;
  readonly scheduler: MonotonicScheduler;
  readonly polling: Polling;
  /** Maximum number of waiters per name in this process. */
  readonly maxQueue: number;
}
/** How long a contender sleeps if nothing else wakes it, ms. */
export interface Polling {
  /** While subscribed: the longest delay that a lost message may cause. */
  readonly subscribed: number;
  /** While not subscribed. */
  readonly unsubscribed: number;
}
