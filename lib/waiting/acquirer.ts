import type { WaitLimit } from '../time/wait-limit.js';
import type { PubSub } from '../backend/pubsub.js';
import type { ReleaseOutcome } from '../backend/lock-operations.js';
import type { NextEntry } from './attempt-strategy.js';
import type { MonotonicScheduler } from '../time/scheduler.js';

/** The steps of a release that concern the waiters of this process. */
export interface HandOver<Got> {
  /** Hands `got` over to the first waiter of this process without asking the server; false: release it instead. */
  handOver(name: string, got: Got): boolean;
  /** Called before the release is sent. Returns the entry with which this client goes on waiting, if it does. */
  beforeRelease(name: string): NextEntry<Got> | undefined;
  /**
   * Called after the release.
   * @param outcome `undefined`: unknown.
   * @param again The entry that was sent with it.
   */
  afterRelease(name: string, outcome: ReleaseOutcome | undefined, again?: NextEntry<Got>): void;
}

/** Acquires by one attempt, or by waiting. */
export interface Acquirer<Wanted, Got> {
  /**
   * @param admit Makes of what was acquired what the caller gets, at once. A promise of its own for that would cost every
   *   waiter a tenth of its memory.
   * @throws LockConflictError, LockTimeoutError, LockAbortedError, LockShutdownError, LockUnavailableError,
   *   LockKeyTypeError – with nothing left behind.
   */
  acquire<T>(asked: AcquireContext, wanted: Wanted, admit: (got: Got) => T): Promise<T>;
  /** Resolves when no attempt is in flight: each is granted, refused or undone. */
  settled(): Promise<void>;
  /** Number of names that have waiters in this process. */
  readonly contended: number;
  /** The callers of this process that wait now. */
  waiters(): Iterable<AcquireContext>;
}

/** The in-flight state of acquirers of any kind. */
export type Drainable = Pick<Acquirer<never, unknown>, 'settled' | 'contended' | 'waiters'>;

/** Combines several into one. */
export const drainAll = (parts: readonly Drainable[]): Drainable => ({
  settled: async () => {
    await Promise.all(parts.map((part) => part.settled()));
  },
  get contended() {
    return parts.reduce((sum, part) => sum + part.contended, 0);
  },
  *waiters() {
    for (const part of parts) yield* part.waiters();
  },
});

/** An acquirer that acquires in a way of its own, and whose callers wait among those of `others`. */
export const acquirerAmong = <Wanted, Got>(
  others: Drainable,
  acquire: Acquirer<Wanted, Got>['acquire'],
): Acquirer<Wanted, Got> => ({
  acquire,
  settled: () => others.settled(),
  get contended() {
    return others.contended;
  },
  waiters: () => others.waiters(),
});

/** The subject of an acquisition, for error texts and limits. */
export interface AcquireContext {
  /** The kind of thing that is wanted, capitalized for the start of a sentence: `Lock`. */
  readonly what: string;
  readonly name: string;
  readonly template: string | undefined;
  readonly limit: WaitLimit;
  /** Told when the caller has to wait. Absent: no listener wants to know. */
  readonly observer?: WaitObserver | undefined;
}

/** Receives the begin of a wait. */
interface WaitObserver {
  /** Called once or more often. */
  onWaiting(): void;
}

/** Dependencies that all wait queues of one connection share. */
export interface WaitDependencies {
  readonly pubSub: PubSub;
  readonly scheduler: MonotonicScheduler;
  readonly polling: Polling;
  /** The longest time that one command may take, ms. */
  readonly commandTimeout: number;
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
