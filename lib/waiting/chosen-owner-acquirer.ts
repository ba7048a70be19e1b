import type { LockOperations } from '../backend/lock-operations.js';
import { InFlight } from '../concurrency.js';
import type { OwnerId } from '../context/owner-ids.js';
import { lockChannel } from '../keys/redisson-keys.js';
import { type Acquirer, acquirerAmong, type WaitDependencies } from './acquirer.js';
import type { AttemptResult, AttemptStrategy, Busy, Take } from './attempt-strategy.js';
import { type Acquired, leaseSpent } from './lock-attempts.js';
import { QueuedAcquirer } from './queued-acquirer.js';

/** A request for a lock, for `lease` ms. */
interface WantedByOwner {
  readonly owner: OwnerId;
  readonly lease: number;
}

/**
 * Attempts for owners that applications have chosen. One of them may have the lock before, by another process. So nothing
 * is undone: what nobody wants any more, or what is of unknown outcome, is left to its lease.
 */
class ChosenOwnerAttempts implements AttemptStrategy<WantedByOwner, Acquired> {
  readonly hearsLeases = true;
  private readonly inFlight = new InFlight();

  constructor(private readonly locks: Pick<LockOperations, 'acquire'>) {}

  attempt(name: string, wanted: WantedByOwner): Promise<AttemptResult<Acquired>> {
    return this.inFlight.add(this.acquire(name, wanted));
  }

  undo(): void {}

  outcomeAfterGrant({ owner, lease }: Acquired): Busy {
    return { holder: owner, remaining: lease };
  }

  leftAfter({ owner }: Acquired): Take<WantedByOwner> {
    return (wanted) => wanted.owner === owner;
  }

  mayStillSucceed({ owner }: WantedByOwner, { holder }: Busy): boolean {
    return owner === holder;
  }

  settled(): Promise<void> {
    return this.inFlight.settled();
  }

  private async acquire(name: string, { owner, lease }: WantedByOwner): Promise<AttemptResult<Acquired>> {
    const reply = await this.locks.acquire({ name, owner, lease, isChosen: true });
    if (reply.outcome !== 'acquired') {
      const { outcome: _, ...busy } = reply;
      return busy;
    }
    const acquired = { owner, sent: reply.sent, lease, fence: reply.fence };
    const spent = leaseSpent(name, acquired);
    if (spent) throw spent;
    return { got: acquired };
  }
}

/** Acquires locks of one kind for owners that applications have chosen. */
export class ChosenOwnerAcquirer extends QueuedAcquirer<WantedByOwner, Acquired> {
  constructor(locks: Pick<LockOperations, 'acquire'>, waiting: WaitDependencies) {
    super(new ChosenOwnerAttempts(locks), waiting, lockChannel);
  }

  /** The acquirer for one owner. */
  for(owner: OwnerId): Acquirer<number, Acquired> {
    return acquirerAmong(this, (asked, lease, admit) => this.acquire(asked, { owner, lease }, admit));
  }
}
