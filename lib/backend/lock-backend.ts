import type { FairLockOperations } from './fair-lock-operations.js';
import type { ResultStore } from './result-store.js';
import type {
  LockOperations,
  FencedLockOperations,
  ReadLockOperations,
  WriteLockOperations,
} from './lock-operations.js';
import type { PermitOperations } from './permit-operations.js';
import type { SemaphoreOperations, LatchOperations } from './counter-operations.js';
import type { Outage, Recovery } from '../events/outage.js';

/**
 * A change of unknown outcome that is not followed up any more: a change of a number, which no lease puts right. Permits of
 * an `acquire` or `drain` may be missing, a `release` or `count-down` may not have happened.
 */
export interface GivenUp {
  /** The name of the semaphore or latch. */
  readonly name: string;
  readonly request: 'acquire' | 'drain' | 'release' | 'count-down';
  /** How many permits or counts; `undefined` for a `drain`, which takes all there are. */
  readonly count: number | undefined;
  /** Why it could not be confirmed, if Redis was asked at all. */
  readonly error: unknown;
}

/** Who wants to know what becomes of the servers, beside what requests tell. */
export interface BackendListener {
  /** A server answers again that did not, or another one has taken its place: what was held may be gone. */
  reconnected(): void;
  /** A server's wall clock, by which leases end there, was set by so many ms; negative: back. */
  clockJumped(ms: number): void;
  /** Something stays unknown. */
  gaveUp(what: GivenUp): void;
  /** Once for each outage. What is back within one command time-out is none. */
  unavailable(outage: Outage): void;
  /** Once for each outage that was told of. */
  available(recovery: Recovery): void;
}

export const nobodyWatches: BackendListener = {
  reconnected: () => {},
  clockJumped: () => {},
  gaveUp: () => {},
  unavailable: () => {},
  available: () => {},
};

/** A subscription that the backend has acknowledged. */
export interface Subscription {
  /** False while messages may be missed, for instance between a cut and the re-subscription. */
  readonly alive: boolean;
  cancel(): void;
}

/**
 * Where messages come from. They are hints to try again, never grants: they may be lost, doubled or late. Listeners are
 * also called once after every re-subscription, since what was said meanwhile was not heard.
 */
export interface PubSub {
  /** Resolves when the channel is being listened to; rejects with `LockUnavailableError` when it cannot be in time. */
  subscribe(channel: string, listener: () => void): Promise<Subscription>;
}

/** Where the state of locks lives and changes, in our words: Redis, or the process's own memory. */
export interface LockBackend {
  /** Plain, and the ground of every exclusive kind (Redisson: `getLock`). */
  readonly lock: LockOperations;
  /** The same data, but nobody is told of a release (Redisson: `getSpinLock`). */
  readonly spinLock: LockOperations;
  /** The same data, and a queue beside it: first come, first served (Redisson: `getFairLock`). */
  readonly fairLock: FairLockOperations;
  /** The same data, with a fencing token beside it (Redisson: `getFencedLock`). */
  readonly fencedLock: FencedLockOperations;
  /** Several fields of a group at once, by the names of `groupLockName` (Redisson: `getMultiLock(group, values)`). */
  readonly groupLock: LockOperations;
  /** The halves of a lock that many read or one writes (Redisson: `getReadWriteLock`). */
  readonly readLock: ReadLockOperations;
  readonly writeLock: WriteLockOperations;
  /** Permits with ids and leases (Redisson: `getPermitExpirableSemaphore`). */
  readonly permitExpirableSemaphore: PermitOperations;
  /** Permits that nobody owns (Redisson: `getSemaphore`). */
  readonly semaphore: SemaphoreOperations;
  /** Redisson: `getCountDownLatch`. */
  readonly countDownLatch: LatchOperations;
  /** What is done once for all who want it meanwhile. */
  readonly singleFlight: ResultStore;
  readonly pubSub: PubSub;
  /** Tells `watcher` from now on what becomes of the servers. */
  watch(watcher: BackendListener): void;
  /** Refuses everything from now on, for this reason. */
  refuse(reason: Error): void;
  /** Starts connecting, where there is something to connect to. Does not wait for it. */
  open(): void;
  /**
   * Finishes background work as far as it can in half of `ms`, and closes what it opened in what is left then. Never
   * rejects.
   */
  close(ms: number): Promise<void>;
}
