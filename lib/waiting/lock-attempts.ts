import type { AcquireOutcome, LockOperations } from '../backend/lock-operations.js';
import { LockUnavailableError } from '../errors.js';
import type { LockEvents } from '../events/lock-events.js';
import type { OwnerId, OwnerIds } from '../context/owner-ids.js';
import type { Stopwatch } from '../time/monotonic-scheduler.js';
import type { AttemptResult, AttemptStrategy, Busy, ServerWait, ServerWaitListener, Take } from './attempt-strategy.js';
import { InFlight } from '../concurrency/in-flight.js';
import type { GrantingLockOperations } from '../backend/granting-lock-operations.js';
import type { PubSub } from '../backend/lock-backend.js';
import { ClientEntry } from './client-entry.js';

/** A lock acquired for a new owner. */
export interface Acquired {
  readonly owner: OwnerId;
  /** Started just before the command was sent. */
  readonly sent: Stopwatch;
  /** Granted lease, ms. */
  readonly lease: number;
  /** Fencing token, if this kind of lock has them. */
  readonly fence: bigint | undefined;
  /** Whether no other client waited at the time of the grant. Absent: unknown. */
  readonly isAlone?: boolean;
  /** Number of hand-overs in this process since the server granted the lock. Absent: none. */
  readonly handed?: number;
}

/** The error for a lock whose lease was more than half spent before the reply arrived; `undefined` if it was not. */
export const leaseSpent = (
  name: string,
  { sent, lease }: Pick<Acquired, 'sent' | 'lease'>,
): LockUnavailableError | undefined => {
  const age = sent.elapsed;
  if (age <= lease / 2) return undefined;
  const spent = `The reply took ${Math.round(age)} ms, most of the lease of ${lease} ms`;
  return new LockUnavailableError(spent, 'refused', false, { lockName: name });
};

/** Attempts to acquire locks of one kind for new owners. A request is its lease in milliseconds. */
export class LockAttempts implements AttemptStrategy<number, Acquired> {
  readonly hearsLeases = true;
  private readonly inFlight = new InFlight();

  /** @param silent Whether releases of this kind are not announced. */
  constructor(
    private readonly locks: Pick<LockOperations, 'acquire' | 'release'>,
    protected readonly owners: OwnerIds,
    private readonly events: LockEvents,
    private readonly silent?: boolean,
  ) {}

  /**
   * Uses a new owner id each time: one of unknown outcome is released by its id, which must not hit the next. On the hot
   * path, see docs/architecture.md#hot-path: hence two-armed `then` and a counter instead of `await` and `add`.
   */
  attempt(name: string, lease: number): Promise<AttemptResult<Acquired>> {
    const owner = this.owners.next();
    const asked = this.locks.acquire({ name, owner, lease, silent: this.silent });
    this.inFlight.enter();
    return asked.then(
      (reply) => {
        const result = this.resultOf(reply, name, owner, lease);
        this.inFlight.leave();
        return result;
      },
      (error: unknown) => {
        this.inFlight.leave();
        throw error;
      },
    );
  }

  private resultOf(
    reply: AcquireOutcome,
    name: string,
    owner: OwnerId,
    lease: number,
  ): AttemptResult<Acquired> | Promise<never> {
    if (reply.outcome !== 'acquired') {
      const { outcome: _, ...busy } = reply;
      return busy;
    }
    return this.unlessSpent(name, { owner, sent: reply.sent, lease, fence: reply.fence });
  }

  protected unlessSpent(name: string, acquired: Acquired): { got: Acquired } | Promise<never> {
    const spent = leaseSpent(name, acquired);
    if (!spent) return { got: acquired };
    this.undo(name, acquired);
    return Promise.reject(spent);
  }

  /** Lets {@link settled} wait for it. */
  protected track<T>(request: Promise<T>): Promise<T> {
    return this.inFlight.add(request);
  }

  undo(name: string, { owner, lease }: Acquired): void {
    this.inFlight
      .add(this.locks.release({ name, owner, lease, silent: this.silent }))
      .catch((error: unknown) => this.events.emit({ type: 'release-failed', lockName: name, owner, error }));
  }

  outcomeAfterGrant({ owner, lease }: Acquired): Busy | undefined {
    return { holder: owner, remaining: lease };
  }

  settled(): Promise<void> {
    return this.inFlight.settled();
  }
}

/** Attempts for locks with several concurrent holders: after a grant, the next waiter may succeed, too. */
export class SharedLockAttempts extends LockAttempts {
  override outcomeAfterGrant(): undefined {
    return undefined;
  }

  /** Any number of owners share the lock. */
  leftAfter(): Take<number> {
    return () => true;
  }
}

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
    private readonly granting: GrantingLockOperations,
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
