import type { LimitOperations } from '../../backend/limit-operations.js';
import { InFlight } from '../../concurrency/in-flight.js';
import type { OwnerIds } from '../../context/owner-ids.js';
import type { LockEvents } from '../../events/lock-events.js';
import type { AttemptResult, AttemptStrategy, Busy, Take } from '../attempt-strategy.js';
import type { LimitDifferences } from './limit-differences.js';
import { type Acquired, leaseSpent } from '../lock-attempts.js';

/** A request for one of at most `limit` permits, for `lease` ms. */
export interface WantedPermit {
  readonly lease: number;
  readonly limit: number;
}

/** A permit of a limit. */
export interface AcquiredPermit extends Acquired {
  /** Permits in use, with this one. */
  readonly inUse: number;
}

/** Attempts to acquire a permit of a limit for a new owner. A waiter does not block others with a larger limit. */
export class LimitAttempts implements AttemptStrategy<WantedPermit, AcquiredPermit> {
  private readonly inFlight = new InFlight();

  constructor(
    private readonly limits: Pick<LimitOperations, 'acquire' | 'release'>,
    private readonly owners: OwnerIds,
    private readonly events: LockEvents,
    private readonly differences: LimitDifferences,
  ) {}

  /** Uses a new owner id each time: one of unknown outcome is released by its id, which must not hit the next. */
  attempt(name: string, wanted: WantedPermit): Promise<AttemptResult<AcquiredPermit>> {
    return this.inFlight.add(this.acquire(name, wanted));
  }

  undo(name: string, { owner, lease }: Acquired): void {
    this.inFlight
      .add(this.limits.release({ name, owner, lease }))
      .catch((error: unknown) => this.events.emit({ type: 'release-failed', lockName: name, owner, error }));
  }

  /** There may be more permits. */
  outcomeAfterGrant(): undefined {}

  leftAfter({ inUse }: AcquiredPermit): Take<WantedPermit> {
    let used = inUse;
    return ({ limit }) => {
      used += 1;
      return used <= limit;
    };
  }

  mayStillSucceed({ limit }: WantedPermit, { inUse = Number.POSITIVE_INFINITY }: Busy): boolean {
    return inUse < limit;
  }

  settled(): Promise<void> {
    return this.inFlight.settled();
  }

  private async acquire(name: string, { lease, limit }: WantedPermit): Promise<AttemptResult<AcquiredPermit>> {
    const owner = this.owners.next();
    const reply = await this.limits.acquire({ name, owner, lease, limit });
    if (reply.outcome === 'reserved') return { next: reply.next, remaining: reply.remaining };
    const { inUse = limit, before = 0 } = reply.use ?? {};
    this.differences.compare(name, limit, { before });
    if (reply.outcome === 'busy') return { holder: reply.holder, remaining: reply.remaining, inUse, limit };
    const acquired = { owner, sent: reply.sent, lease, fence: undefined, inUse };
    const spent = leaseSpent(name, acquired);
    if (!spent) return { got: acquired };
    this.undo(name, acquired);
    throw spent;
  }
}
