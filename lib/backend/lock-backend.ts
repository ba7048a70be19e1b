import type { BackendListener, ServerHealth } from './backend-listener.js';
import type { PubSub } from './pubsub.js';
import type { BlockedHoldOperations } from './kinds/deadlock/blocked-holds.js';
import type { ConversionOperations } from './kinds/read-write/conversion.js';
import type { FairLockOperations } from './kinds/fair-lock/queued-lock.js';
import type { InspectionOperations } from './kinds/inspection/inspection-operations.js';
import type { LimitOperations } from './kinds/limit/limit.js';
import type { GrantingLockOperations } from './kinds/lock/granting-lock.js';
import type { ResultStore } from './kinds/single-flight/result-store.js';
import type { TakeOverOperations } from './kinds/lock/take-over.js';
import type {
  FencedLockOperations,
  LockOperations,
  ReadLockOperations,
  WriteLockOperations,
} from './lock-operations.js';
import type { PermitOperations } from './kinds/permits/permit-scripts.js';
import type { LatchOperations, SemaphoreOperations } from './kinds/counters/counters.js';

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
