import type { LockBackend } from '../backend/lock-backend.js';
import type { PubSub } from '../backend/pubsub.js';
import type { OwnerIds } from '../context/owner-ids.js';
import type { LockEvents } from '../events/lock-events.js';
import type { Stopwatch } from '../time/scheduler.js';
import type { AttemptResult, Busy, ServerWait, ServerWaitListener } from './attempt-strategy.js';
import { ClientEntry } from './client-entry.js';
import { type Acquired, LockAttempts } from './lock-attempts.js';

/** It may be free now. */
const LOST: Busy = { remaining: 0 };

/** The fewest hand-overs of a run, unless a limit is given. */
const FEWEST = 16;
/** Measurements that the mean is taken of, roughly: with fewer, equal processes would have unequal runs. */
const MEASURED = 64;

/** Limits of a hand-over run inside a process, after which the lock is released on the server. */
export interface HandOverLimits {
  /**
   * Maximum number of hand-overs while other clients may wait; 0: none; `undefined`: 16, and as many more as there is time
   * for in twice the time that a release takes which passes the lock on to another client.
   */
  readonly max: number | undefined;
  /** Maximum duration in milliseconds, from just before the command that acquired the lock was sent. */
  readonly ms: number;
}

/**
 * Attempts for locks that are handed over to the next waiter of this process without a round trip: for the server the
 * owner it granted to keeps the lock. The next waiter gets the rest of the lease, so the lease must be as long as the
 * one it wants, and mostly unspent.
 */
export class HandOverAttempts extends LockAttempts {
  /** Milliseconds until a release is answered that passes a lock on, on the average: about as long, the lock is idle. */
  private passingOn = 0;
  private measured = 0;

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
    const onPassedOn = (ms: number): void => {
      this.measured = Math.min(this.measured + 1, MEASURED);
      // A longer one says nothing more, since no run is longer.
      this.passingOn += (Math.min(ms, this.handOver.ms) - this.passingOn) / this.measured;
    };
    return new ClientEntry(name, { locks, owners, pubSub, onPassedOn }, listener);
  }

  transfer(acquired: Acquired, wanted: number): Acquired | undefined {
    const { owner, sent, lease, fence, slot, isAlone } = acquired;
    const { count, from } = acquired.run ?? { count: 0, from: sent.leastElapsed };
    const isOver = !isAlone && this.isOver(count, from, sent);
    if (isOver || lease !== wanted || sent.elapsed >= Math.min(this.handOver.ms, lease / 4)) return undefined;
    return { owner, sent, lease, fence, slot, isAlone, run: { count: count + 1, from } };
  }

  /** Whether it is the turn of other clients. */
  private isOver(count: number, from: number, sent: Stopwatch): boolean {
    const { max } = this.handOver;
    if (max !== undefined) return count >= max;
    return count >= FEWEST && sent.leastElapsed - from >= 2 * this.passingOn;
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
