import type { LimitUse } from '../backend/kinds/limit/limit.js';
import type { LockBackend } from '../backend/lock-backend.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  HoldOutcome,
  HoldRequest,
  ReleaseOutcome,
  ReleaseRequest,
} from '../backend/lock-operations.js';
import type { LockEvents } from '../events/lock-events.js';
import { InFlight } from '../concurrency.js';
import type { OwnerIds } from '../context/owner-ids.js';
import type { AttemptResult, AttemptStrategy, Busy, PermitsInUse, Take } from './attempt-strategy.js';
import { type Acquired, leaseSpent } from './lock-attempts.js';
import type { KeepRequest, LeaveRequest, QueueOutcome, QueueRequest } from '../backend/kinds/queued-lock.js';
import type { FairWaiting, TurnOperations } from './fair/fair-waiter.js';
import { limitChannel } from '../keys/redisson-keys.js';
import { type AcquireContext, type Acquirer, acquirerAmong, type Drainable } from './acquirer.js';
import { FairAcquirer } from './fair/fair-acquirer.js';
import { QueuedAcquirer } from './queued-acquirer.js';

/** Most differences that are remembered as told. */
const MOST_TOLD = 1000;

/** Reports callers of one name with different limits, once for each pair. */
class LimitDifferences {
  private readonly told = new Set<string>();

  constructor(private readonly events: LockEvents) {}

  /** @param use How the limit was used at the time of the request. */
  compare(lockName: string, limit: number, { before }: Pick<LimitUse, 'before'>): void {
    if (before === 0 || before === limit) return;
    const difference = `${limit} ${before} ${lockName}`;
    if (this.told.has(difference)) return;
    if (this.told.size >= MOST_TOLD) this.told.clear();
    this.told.add(difference);
    this.events.emit({ type: 'limits-differ', lockName, limit, other: before });
  }
}

/** How a limit is asked: for one of at most so many permits, with a number or without. */
interface LimitTerms {
  readonly limit: number;
  readonly isNumbered: boolean;
}

/** A request for one of at most `limit` permits, for `lease` ms. */
interface WantedPermit extends LimitTerms {
  readonly lease: number;
}

/** A permit of a limit. */
interface AcquiredPermit extends Acquired {
  /** Permits in use, with this one. */
  readonly inUse: number;
}

/** Attempts to acquire a permit of a limit for a new owner. A waiter does not block others with a larger limit. */
class LimitAttempts implements AttemptStrategy<WantedPermit, AcquiredPermit> {
  private readonly inFlight = new InFlight();

  constructor(
    private readonly limits: Pick<LockBackend['limit'], 'acquire' | 'release'>,
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

  private async acquire(
    name: string,
    { lease, limit, isNumbered }: WantedPermit,
  ): Promise<AttemptResult<AcquiredPermit>> {
    const owner = this.owners.next();
    const reply = await this.limits.acquire({ name, owner, lease, limit, isNumbered });
    if (reply.outcome === 'reserved') return { next: reply.next, remaining: reply.remaining };
    const { inUse = limit, before = 0, slot } = reply.use ?? {};
    this.differences.compare(name, limit, { before });
    if (reply.outcome === 'busy') return { holder: reply.holder, remaining: reply.remaining, inUse, limit };
    const acquired = { owner, sent: reply.sent, lease, fence: undefined, inUse, slot };
    const spent = leaseSpent(name, acquired);
    if (!spent) return { got: acquired };
    this.undo(name, acquired);
    throw spent;
  }
}

/** The queue of limits as that of fair locks, for requests with one number of permits. */
class LimitTurns implements TurnOperations {
  constructor(
    private readonly limits: LockBackend['limit'],
    private readonly wanted: LimitTerms,
    private readonly differences: LimitDifferences,
  ) {}

  acquire(request: AcquireRequest): Promise<AcquireOutcome> {
    return this.limits.acquire({ ...request, ...this.wanted });
  }

  async queue(request: QueueRequest): Promise<QueueOutcome<PermitsInUse>> {
    const { limits, wanted, differences } = this;
    const { limit } = wanted;
    const reply = await limits.queue({ ...request, ...wanted });
    if (!reply.use) return { ...reply, use: undefined };
    differences.compare(request.name, limit, reply.use);
    const { before: _, ...use } = reply.use;
    return { ...reply, use: { ...use, limit } };
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

interface LimitWaiting extends Omit<FairWaiting, 'inFlight' | 'leaving' | 'locks' | 'isGiven'> {
  readonly limits: LockBackend['limit'];
}

/** The callers with places that ask for one limit. */
interface OrderedCallers {
  readonly acquirer: FairAcquirer;
  /** How many of them have no answer. */
  count: number;
}

/**
 * The acquirers of the limits of one connection. Without an order, the waiters of one name have one wait queue, whatever
 * their limits. With one, each waiter has a place on the server, and those of one limit share a wait queue here.
 */
export class LimitAcquirers implements Drainable {
  private readonly differences: LimitDifferences;
  private readonly unordered: QueuedAcquirer<WantedPermit, AcquiredPermit>;
  /** One for each limit that callers wait for, with numbers and without. */
  private readonly ordered = new Map<string, OrderedCallers>();

  constructor(private readonly waiting: LimitWaiting) {
    const { limits, owners, events } = waiting;
    this.differences = new LimitDifferences(events);
    this.unordered = new QueuedAcquirer<WantedPermit, AcquiredPermit>(
      new LimitAttempts(limits, owners, events, this.differences),
      waiting,
      limitChannel,
    );
  }

  /** @param isFair Whether waiters are served in the order of their arrival, over all processes. */
  of(wanted: LimitTerms, isFair: boolean): Acquirer<number, Acquired> {
    return acquirerAmong(this, (asked, lease, admit) => {
      // A caller that does not wait makes one attempt, which overtakes no waiter that has a place.
      if (!isFair || asked.limit.ended) return this.unordered.acquire(asked, { lease, ...wanted }, admit);
      return this.acquireInOrder(wanted, asked, lease, admit);
    });
  }

  async settled(): Promise<void> {
    await Promise.all(this.acquirers.map((acquirer) => acquirer.settled()));
  }

  get contended(): number {
    return this.acquirers.reduce((sum, { contended }) => sum + contended, 0);
  }

  *waiters(): Generator<AcquireContext> {
    for (const acquirer of this.acquirers) yield* acquirer.waiters();
  }

  private get acquirers(): readonly Drainable[] {
    return [this.unordered, ...[...this.ordered.values()].map(({ acquirer }) => acquirer)];
  }

  private async acquireInOrder<T>(
    wanted: LimitTerms,
    asked: AcquireContext,
    lease: number,
    admit: (acquired: Acquired) => T,
  ): Promise<T> {
    const key = `${wanted.limit} ${wanted.isNumbered}`;
    const callers = this.callersFor(key, wanted);
    callers.count += 1;
    try {
      return await callers.acquirer.acquire(asked, lease, admit);
    } finally {
      callers.count -= 1;
      if (callers.count === 0) void this.drop(key, callers);
    }
  }

  private callersFor(key: string, wanted: LimitTerms): OrderedCallers {
    const known = this.ordered.get(key);
    if (known) return known;
    const locks = new LimitTurns(this.waiting.limits, wanted, this.differences);
    const callers = { acquirer: new FairAcquirer({ ...this.waiting, locks, isGiven: false }), count: 0 };
    this.ordered.set(key, callers);
    return callers;
  }

  /**
   * Drops an acquirer without callers once it has given back what came too late. Limits may be computed: one acquirer for
   * each that was ever asked for would fill the memory.
   */
  private async drop(key: string, callers: OrderedCallers): Promise<void> {
    await callers.acquirer.settled();
    if (callers.count === 0) this.ordered.delete(key);
  }
}
