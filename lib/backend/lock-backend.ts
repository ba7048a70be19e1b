import type { BlockedHoldOperations } from './blocked-hold-operations.js';
import type { ConversionOperations } from './conversion-operations.js';
import type { FairLockOperations } from './fair-lock-operations.js';
import type { InspectionOperations } from './inspection-operations.js';
import type { LimitOperations } from './limit-operations.js';
import type { GrantingLockOperations } from './granting-lock-operations.js';
import type { ResultStore } from './result-store.js';
import type { TakeOverOperations } from './take-over-operations.js';
import type {
  LockOperations,
  FencedLockOperations,
  ReadLockOperations,
  WriteLockOperations,
} from './lock-operations.js';
import type { PermitOperations } from './permit-operations.js';
import type { SemaphoreOperations, LatchOperations } from './counter-operations.js';
import type { Outage, Recovery } from '../events/outage.js';
import type { ServerHealth } from './server-health.js';

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

/** A subscription that the backend has acknowledged, or will. */
export interface Subscription {
  /** False while messages may be missed: before the acknowledgement, and from a disconnection to the next one. */
  readonly alive: boolean;
  cancel(): void;
}

/**
 * Called with a message; without one after every re-subscription, and when messages may have been missed for another
 * reason.
 */
export type MessageListener = (message?: string) => void;

/** Asks for a subscription. */
export interface Subscriber {
  /** Whether it still wants what it asked for. A subscription of others only need not begin. */
  readonly isInterested: boolean;
}

/** Source of messages. A message is a hint to try again: it may be lost, doubled or late. */
export interface PubSub {
  /**
   * Resolves when the channel is subscribed to. Resolves earlier, with a subscription that is not alive yet, if the reply
   * is late, and if `subscriber` has lost interest; rejects with `LockUnavailableError` if the backend cannot be asked, or
   * refuses.
   * @param listener Called as well when a subscription that was not alive yet begins.
   */
  subscribe(channel: string, listener: MessageListener, subscriber?: Subscriber): Promise<Subscription>;
}

/** Port to the state of locks: Redis, or the memory of this process. */
export interface LockBackend {
  /** The plain lock, base of every exclusive kind (Redisson: `getLock`; with silent releases `getSpinLock`). */
  readonly lock: GrantingLockOperations;
  /** The same data, and a queue beside it: first come, first served (Redisson: `getFairLock`). */
  readonly fairLock: FairLockOperations;
  /** The same data, with a fencing token beside it (Redisson: `getFencedLock`). */
  readonly fencedLock: FencedLockOperations;
  /** Several fields of a group at once, by the names of `groupLockName` (Redisson: `getMultiLock(group, values)`). */
  readonly groupLock: LockOperations;
  /** Permits of limits on concurrency. Redisson has no counterpart. */
  readonly limit: LimitOperations;
  /** The halves of a lock for many readers or one writer (Redisson: `getReadWriteLock`). */
  readonly readLock: ReadLockOperations;
  readonly writeLock: WriteLockOperations;
  /** Makes holds of one half holds of the other. Redisson has only the way from write to read. */
  readonly conversion: ConversionOperations;
  /** Permits with ids and leases (Redisson: `getPermitExpirableSemaphore`). */
  readonly permitExpirableSemaphore: PermitOperations;
  /** Permits without owners (Redisson: `getSemaphore`). */
  readonly semaphore: SemaphoreOperations;
  /** Redisson: `getCountDownLatch`. */
  readonly countDownLatch: LatchOperations;
  /** Results of concurrent calls that are executed once. */
  readonly singleFlight: ResultStore;
  /** Passes plain, fair, fenced and spin locks on to an owner that the holder has named. */
  readonly takeOver: TakeOverOperations;
  /** Reads who holds and who waits. */
  readonly inspection: InspectionOperations;
  /** Which holds belong to code that waits for another lock. */
  readonly blockedHolds: BlockedHoldOperations;
  readonly pubSub: PubSub;
  /** Reports changes of the servers to `watcher` from now on. */
  watch(watcher: BackendListener): void;
  /** Refuses every request from now on, with this error. */
  refuse(reason: Error): void;
  /** Asks every server whether it answers within `ms`; empty if there is none. Never rejects. */
  check(ms: number): Promise<readonly ServerHealth[]>;
  /** Starts to connect, if there is a server to connect to. Does not wait for it. */
  open(): void;
  /**
   * Finishes background work as far as possible in half of `ms`, and closes its connections in the time left then.
   * Never rejects.
   */
  close(ms: number): Promise<void>;
}
