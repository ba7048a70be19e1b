import type { LockKindName } from '../events/life-cycle-events.js';
import type { HolderRecord } from './holder-record.js';

/** The kind of an inspected lock; `multi`: several locks as one. */
export type InspectedKind = LockKindName | 'countDownLatch' | 'multi';

/** An owner that holds a lock, or one permit. */
export interface InspectedHolder {
  /** The owner id, as stored in Redis; of a permit, its id. */
  readonly owner: string;
  readonly mode: 'exclusive' | 'read' | 'write' | 'permit';
  /** How often it holds the lock; 1 for a permit. */
  readonly count: number;
  /** Milliseconds until its lease ends; -1: it has no end. */
  readonly remaining: number;
  /** Which of the group's values it holds, as the hashes that Redis stores; of a group lock only. */
  readonly fields?: readonly string[];
  /** Absent if the holder keeps no records (option `holderRecords`), or none was found. */
  readonly record?: HolderRecord;
  /** Whether it acquired the lock through this connection of this process. */
  readonly isThisProcess: boolean;
}

/** The waiters for a lock. */
export interface InspectedWaiting {
  /**
   * If waiters have an order on the server: how many have a place. Otherwise, how many clients listen for a release:
   * one for each process, however many of its callers wait.
   */
  readonly count: number;
  /**
   * The first places, in order, if waiters have an order on the server: of a fair lock or limit, one for each waiter; of
   * other locks, one for each process of this library.
   */
  readonly order?: readonly { readonly owner: string }[];
  /** The first place of this process in that order, counted from 1; absent if it has none. */
  readonly position?: number;
  /**
   * The waiting writers that go before new readers (`preference: 'writer'`), one for each process, in no order. Absent if
   * there are none.
   */
  readonly writers?: readonly { readonly owner: string }[];
}

/** The permits of a semaphore or limit. */
export interface InspectedPermits {
  /** Below 0 if more are in use than there are. */
  readonly available: number;
  /** Absent for a semaphore whose permits have no owner. */
  readonly inUse?: number;
  /** How many there are together; of a limit, that of the last owner that was admitted. */
  readonly total?: number;
}

/** The answer of one of the servers of a RedLock. */
export interface InspectedNode {
  /** Its address, without a password. */
  readonly node: string;
  readonly lock?: InspectedLock;
  /** Why there is no answer. */
  readonly error?: unknown;
}

/** The state of a lock, semaphore or latch at one moment. */
export interface InspectedLock {
  /** As stored in Redis. */
  readonly name: string;
  readonly kind: InspectedKind;
  /**
   * `free`: it can be acquired, or, of a latch, it is open. `held`: it has holders, or, of a semaphore, no permit is
   * available, or, of a latch, counts are left. `reserved`: it has no holder, and goes to the first waiter. `foreign`: the
   * key is something else, see `problem`. `unknown`: too few of the servers of a RedLock have answered.
   */
  readonly state: 'free' | 'held' | 'reserved' | 'foreign' | 'unknown';
  /** The first 1000 of them. */
  readonly holders: readonly InspectedHolder[];
  /** How many holders there are. */
  readonly holderCount: number;
  readonly waiting: InspectedWaiting;
  /** The last fencing token that was given for this name. */
  readonly fence?: bigint;
  /** Of semaphores and limits. */
  readonly permits?: InspectedPermits;
  /** Of a latch: how many counts are left. */
  readonly count?: number;
  /** Of several locks as one. */
  readonly members?: readonly InspectedLock[];
  /** Of a RedLock with servers of its own. */
  readonly nodes?: readonly InspectedNode[];
  /** The thing found in place of the lock, or of a part of it: a key of another type, or data that is not understood. */
  readonly problem?: string;
}

/** A lock that was found by `locks.list()`. */
export interface ListedLock extends InspectedLock {
  /** As given to `getLock()`, without the module's `keyPrefix`. */
  readonly name: string;
  /** The key in Redis. */
  readonly key: string;
}
