import type { LockBackend } from '../backend/lock-backend.js';
import type { PubSub } from '../backend/pubsub.js';
import type { OwnerIds } from '../context/owner-ids.js';
import type { LockEvents } from '../events/lock-events.js';
import type { AttemptResult, Busy, ServerWait, ServerWaitListener } from './attempt-strategy.js';
import { ClientEntry } from './client-entry.js';
import { type Acquired, LockAttempts } from './lock-attempts.js';

/** It may be free now. */
const LOST: Busy = { remaining: 0 };

/** Limits of a hand-over run inside a process, after which the lock is released on the server. */
export interface HandOverLimits {
  /** Maximum number of hand-overs while other clients may wait; 0: none. */
  readonly max: number;
  /** Maximum duration in milliseconds, from just before the command that acquired the lock was sent. */
  readonly ms: number;
}

/**
 * Attempts for locks that are handed over to the next waiter of this process without a round trip: for the server the
 * owner it granted to keeps the lock. The next waiter gets the rest of the lease, so the lease must be as long as the
 * one it wants, and mostly unspent.
 */
export class HandOverAttempts extends LockAttempts {
  constructor(
    private readonly granting: LockBackend['lock'],
    owners: OwnerIds,
    events: LockEvents,
    private readonly handOver: HandOverLimits,
  ) {
    super(granting, owners, events);
  }

  waitOnServer(
    name: string,
    pubSub: PubSub,
    listener: ServerWaitListener<Acquired>,
  ): ServerWait<number, Acquired> | undefined {
    const { granting: locks, owners } = this;
    if (this.handOver.max === 0 || !locks.canWait(name)) return undefined;
    return new ClientEntry(name, { locks, owners, pubSub }, listener);
  }

  transfer(acquired: Acquired, wanted: number): Acquired | undefined {
    const { sent, lease, isAlone, handed = 0 } = acquired;
    const { max, ms } = this.handOver;
    const isLast = handed >= max && !isAlone;
    if (isLast || lease !== wanted || sent.elapsed >= Math.min(ms, lease / 4)) return undefined;
    return { ...acquired, handed: handed + 1 };
  }

  isWanted({ lease }: Acquired, wanted: number): boolean {
    return lease === wanted;
  }

  /** Sets the lease that the waiter wants: the given one is a first lease, or that of a waiter which has left. */
  adjust(name: string, given: Acquired, lease: number): Promise<AttemptResult<Acquired>> {
    const { owner } = given;
    return this.track(
      this.granting.hold({ name, owner, count: 1, lease }).then(
        (reply) => (reply.outcome === 'held' ? this.unlessSpent(name, { ...given, sent: reply.sent, lease }) : LOST),
        (error: unknown) => {
          this.undo(name, { ...given, lease: Math.max(given.lease, lease) });
          throw error;
        },
      ),
    );
  }
}
