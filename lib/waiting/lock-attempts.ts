import type { AcquireOutcome, LockOperations } from '../backend/lock-operations.js';
import { LockUnavailableError } from '../errors.js';
import type { LockEvents } from '../events/lock-events.js';
import type { OwnerId, OwnerIds } from '../context/ids.js';
import type { Stopwatch } from '../time/monotonic-scheduler.js';
import type { Busy, Result, AttemptStrategy } from './acquirer.js';
import { InFlight } from '../concurrency/in-flight.js';

/** A lock that was taken for a new owner. */
export interface Acquired {
  readonly owner: OwnerId;
  /** Started just before the command left. */
  readonly sent: Stopwatch;
  /** Milliseconds the server granted. */
  readonly lease: number;
  /** Where the kind of lock gives one. */
  readonly fence: bigint | undefined;
  /** How often it went from one to the next in this process since the server granted it. Absent: never. */
  readonly handed?: number;
}

/** What is handed out must be worth having: why it is not, where most of its lease was spent on the way. */
export const leaseSpent = (
  name: string,
  { sent, lease }: Pick<Acquired, 'sent' | 'lease'>,
): LockUnavailableError | undefined => {
  const age = sent.elapsed;
  if (age <= lease / 2) return undefined;
  const spent = `The reply took ${Math.round(age)} ms, most of the lease of ${lease} ms`;
  return new LockUnavailableError(spent, 'refused', false, { lockName: name });
};

/** One try at a time to take locks of one kind for new owners, each for a number of milliseconds. */
export class LockAttempts implements AttemptStrategy<number, Acquired> {
  private readonly underWay = new InFlight();

  constructor(
    private readonly locks: Pick<LockOperations, 'acquire' | 'release'>,
    private readonly owners: OwnerIds,
    private readonly events: LockEvents,
  ) {}

  /** An owner id that no other try ever uses: one of unknown outcome is undone by its id, which must not touch the next. */
  attempt(name: string, lease: number): Promise<Result<Acquired>> {
    const owner = this.owners.next();
    const asked = this.locks.acquire({ name, owner, lease });
    this.underWay.enter();
    return asked.then(
      (reply) => {
        const result = this.resultOf(reply, name, owner, lease);
        this.underWay.leave();
        return result;
      },
      (error: unknown) => {
        this.underWay.leave();
        throw error;
      },
    );
  }

  private resultOf(
    reply: AcquireOutcome,
    name: string,
    owner: OwnerId,
    lease: number,
  ): Result<Acquired> | Promise<never> {
    if (reply.outcome !== 'acquired') {
      const { outcome: _, ...busy } = reply;
      return busy;
    }
    const acquired = { owner, sent: reply.sent, lease, fence: reply.fence };
    const spent = leaseSpent(name, acquired);
    if (!spent) return { got: acquired };
    this.undo(name, acquired);
    return Promise.reject(spent);
  }

  undo(name: string, { owner, lease }: Acquired): void {
    this.underWay
      .add(this.locks.release({ name, owner, lease }))
      .catch((error: unknown) => this.events.emit({ type: 'release-failed', lockName: name, owner, error }));
  }

  outcomeAfterGrant({ owner, lease }: Acquired): Busy | undefined {
    return { holder: owner, remaining: lease };
  }

  settled(): Promise<void> {
    return this.underWay.settled();
  }
}

/** For how long a lock may go from one to the next inside a process before it is really released. */
export interface HandOverLimits {
  /** How often at the most; 0: never. */
  readonly max: number;
  /** Milliseconds, counted from before the command left that got it from the server. */
  readonly ms: number;
}

/**
 * Tries for locks that go to the next of this process without a round trip: the server goes on counting the owner that it
 * granted to. Whoever gets one so gets its lease as it is, which therefore has to be as long as the one it wants, and new.
 */
export class HandOverAttempts extends LockAttempts {
  constructor(
    locks: Pick<LockOperations, 'acquire' | 'release'>,
    owners: OwnerIds,
    events: LockEvents,
    private readonly handOver: HandOverLimits,
  ) {
    super(locks, owners, events);
  }

  transfer(acquired: Acquired, wanted: number): Acquired | undefined {
    const { sent, lease, handed = 0 } = acquired;
    const { max, ms } = this.handOver;
    if (handed >= max || lease !== wanted || sent.elapsed >= Math.min(ms, lease / 4)) return undefined;
    return { ...acquired, handed: handed + 1 };
  }
}

/** Tries for locks that several may hold at a time: where one gets in, so may the next in line. */
export class SharedLockAttempts extends LockAttempts {
  override outcomeAfterGrant(): undefined {
    return undefined;
  }
}
