import type { KeepRequest, LeaveRequest, QueueOutcome, QueueRequest } from './fair-lock-operations.js';
import type { AcquireRequest, LockOperations } from './lock-operations.js';

/** A new owner's request for one of at most `limit` permits. */
export interface LimitRequest extends AcquireRequest {
  readonly limit: number;
}

/** A waiter's request for one of at most `limit` permits, granted in the order of the queue. */
export interface LimitQueueRequest extends QueueRequest {
  readonly limit: number;
}

/**
 * The permits of a limit: a lock with up to `limit` owners, each with a lease of its own. Each request is measured by its
 * own limit: it is granted if fewer permits are in use. A hold count is not stored: an owner has one permit. Waiters may
 * queue for permits, over all clients; a release tells the head of the queue, which asks.
 */
export interface LimitOperations extends LockOperations {
  /** One attempt without a place: it neither overtakes a waiter that has one nor joins the queue. */
  acquire(request: LimitRequest): ReturnType<LockOperations['acquire']>;
  /**
   * Acquires a permit if the owner is next and one is free, else gives it a place in the queue. The effect of a failed
   * request is settled by the owner's next request, or by {@link leave}.
   */
  queue(request: LimitQueueRequest): Promise<QueueOutcome>;
  /**
   * Ends waits: gives up the places, and the permits that owners have acquired. If the outcome stays unknown, the backend
   * retries in the background. To be called when no request of the owners is in flight.
   */
  leave(request: LeaveRequest): Promise<void>;
  /** Keeps places for another slot. Resolves with whether each owner has one, in order. */
  keep(request: KeepRequest): Promise<readonly boolean[]>;
}
