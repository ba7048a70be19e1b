import type { LimitOperations } from '../../backend/limit-operations.js';
import type { KeepRequest, LeaveRequest, QueueOutcome, QueueRequest } from '../../backend/fair-lock-operations.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  HoldOutcome,
  HoldRequest,
  ReleaseOutcome,
  ReleaseRequest,
} from '../../backend/lock-operations.js';
import type { TurnOperations } from '../fair/fair-waiter.js';
import type { LimitDifferences } from './limit-differences.js';

/** The queue of limits as that of fair locks, for requests with one number of permits. */
export class LimitTurns implements TurnOperations {
  constructor(
    private readonly limits: LimitOperations,
    private readonly limit: number,
    private readonly differences: LimitDifferences,
  ) {}

  acquire(request: AcquireRequest): Promise<AcquireOutcome> {
    return this.limits.acquire({ ...request, limit: this.limit });
  }

  async queue(request: QueueRequest): Promise<QueueOutcome> {
    const { limits, limit, differences } = this;
    const reply = await limits.queue({ ...request, limit });
    const { use } = reply;
    if (!use) return reply;
    differences.compare(request.name, limit, use);
    return reply.outcome === 'acquired' ? reply : { ...reply, permits: { inUse: use.inUse, limit } };
  }

  hold(request: HoldRequest): Promise<HoldOutcome> {
    return this.limits.hold(request);
  }

  release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    return this.limits.release(request);
  }

  leave(request: LeaveRequest): Promise<void> {
    return this.limits.leave(request);
  }

  keep(request: KeepRequest): Promise<readonly boolean[]> {
    return this.limits.keep(request);
  }

  /** A release tells the head, which asks: permits are not given. */
  grantChannel(): undefined {}

  firstLease(): number {
    return 0;
  }
}
