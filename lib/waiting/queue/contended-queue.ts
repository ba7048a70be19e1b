import type { LinkedList } from '../../collections/linked-list.js';
import type { AttemptResult } from '../attempt-strategy.js';
import type { Subscriptions } from './subscriptions.js';
import type { Waiter } from './waiter.js';

/** The queue that a contender works for. */
export interface ContendedQueue<Wanted, Got extends object> {
  readonly waiters: LinkedList<Waiter<Wanted, Got>>;
  /** Whether the lock passes between waiters of this process, so that the queue is needed although it may be empty. */
  readonly isHandingOver: boolean;
  /** The attempt of a caller that came before the queue, while it is in flight. */
  readonly firstAttempt: Promise<AttemptResult<Got>> | undefined;
  readonly subscriptions: Subscriptions<Wanted, Got>;
  /** Returns whether it was waiting. */
  remove(waiter: Waiter<Wanted, Got>): boolean;
  reject(waiter: Waiter<Wanted, Got>, error: unknown): void;
  rejectAll(error: unknown): void;
  /** Called with an error that ends the queue. */
  onFailed(error: unknown): void;
  /** Called after each reply: rejects the waiters whose time was over before it. */
  rejectExpired(): void;
  /** Called when the contender becomes idle, in the same turn as its last check for waiters. */
  onContenderIdle(): void;
}
