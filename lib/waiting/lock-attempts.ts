import type { AcquireOutcome, LockOperations } from '../backend/lock-operations.js';
import { LockUnavailableError } from '../errors.js';
import type { LockEvents } from '../events/lock-events.js';
import type { OwnerId, OwnerIds } from '../context/owner-ids.js';
import type { Stopwatch } from '../time/scheduler.js';
import type { Busy, AttemptResult, AttemptStrategy, Take } from './attempt-strategy.js';
import { InFlight } from '../concurrency.js';

/** Hand-overs in one process, one after the other. */
interface HandOverRun {
  readonly count: number;
  /** When the first one was, in ms of the clock that started before the grant. */
  readonly from: number;
}

/** A lock acquired for a new owner. */
export interface Acquired {
  readonly owner: OwnerId;
  /** Started just before the command was sent. */
  readonly sent: Stopwatch;
  /** Granted lease, ms. */
  readonly lease: number;
  /** Fencing token, if this kind of lock has them. */
  readonly fence: bigint | undefined;
  /** Number of the permit, if it has one. Absent: it has none. */
  readonly slot?: number | undefined;
  /** Whether no other client waited at the time of the grant. Absent: unknown. */
  readonly isAlone?: boolean | undefined;
  /** The hand-overs in this process since the server granted the lock. Absent: none. */
  readonly run?: HandOverRun;
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
