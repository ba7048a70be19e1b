import type { BackendWatcher } from './backend-watcher.js';
import type { FairLockTransitions } from './fair-lock-operations.js';
import type { FencedTransitions } from './fenced-transitions.js';
import type { FlightTransitions } from './result-store.js';
import type { LatchTransitions } from './latch-transitions.js';
import type { LockTransitions } from './lock-operations.js';
import type { PermitTransitions } from './permit-operations.js';
import type { ReadTransitions, WriteTransitions } from './read-write-transitions.js';
import type { SemaphoreTransitions } from './counter-operations.js';

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
export interface WakeUps {
  /** Resolves when the channel is being listened to; rejects with `LockUnavailableError` when it cannot be in time. */
  subscribe(channel: string, listener: () => void): Promise<Subscription>;
}

/** Where the state of locks lives and changes, in our words: Redis, or the process's own memory. */
export interface LockBackend {
  /** Plain, and the ground of every exclusive kind (Redisson: `getLock`). */
  readonly lock: LockTransitions;
  /** The same data, but nobody is told of a release (Redisson: `getSpinLock`). */
  readonly spinLock: LockTransitions;
  /** The same data, and a queue beside it: first come, first served (Redisson: `getFairLock`). */
  readonly fairLock: FairLockTransitions;
  /** The same data, with a fencing token beside it (Redisson: `getFencedLock`). */
  readonly fencedLock: FencedTransitions;
  /** Several fields of a group at once, by the names of `groupLockName` (Redisson: `getMultiLock(group, values)`). */
  readonly groupLock: LockTransitions;
  /** The halves of a lock that many read or one writes (Redisson: `getReadWriteLock`). */
  readonly readLock: ReadTransitions;
  readonly writeLock: WriteTransitions;
  /** Permits with ids and leases (Redisson: `getPermitExpirableSemaphore`). */
  readonly permitExpirableSemaphore: PermitTransitions;
  /** Permits that nobody owns (Redisson: `getSemaphore`). */
  readonly semaphore: SemaphoreTransitions;
  /** Redisson: `getCountDownLatch`. */
  readonly countDownLatch: LatchTransitions;
  /** What is done once for all who want it meanwhile. */
  readonly singleFlight: FlightTransitions;
  readonly wakeUps: WakeUps;
  /** Tells `watcher` from now on what becomes of the servers. */
  watch(watcher: BackendWatcher): void;
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
