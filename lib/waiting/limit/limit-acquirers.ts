import type { LimitOperations } from '../../backend/limit-operations.js';
import { limitChannel } from '../../keys/redisson-keys.js';
import type { AcquireContext, Acquirer, Drainable } from '../acquirer.js';
import { FairAcquirer } from '../fair/fair-acquirer.js';
import type { FairWaiting } from '../fair/fair-waiter.js';
import type { Acquired } from '../lock-attempts.js';
import { QueuedAcquirer } from '../queued-acquirer.js';
import { type AcquiredPermit, LimitAttempts, type WantedPermit } from './limit-attempts.js';
import { LimitDifferences } from './limit-differences.js';
import { LimitTurns } from './limit-turns.js';

interface LimitWaiting extends Omit<FairWaiting, 'inFlight' | 'leaving' | 'locks' | 'isGiven'> {
  readonly limits: LimitOperations;
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
  /** One for each limit that callers wait for. */
  private readonly ordered = new Map<number, OrderedCallers>();

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
  of(limit: number, isFair: boolean): Acquirer<number, Acquired> {
    const contended = (): number => this.contended;
    return {
      acquire: (asked, lease, admit) => {
        // A caller that does not wait makes one attempt, which overtakes no waiter that has a place.
        if (!isFair || asked.limit.ended) return this.unordered.acquire(asked, { lease, limit }, admit);
        return this.acquireInOrder(limit, asked, lease, admit);
      },
      settled: () => this.settled(),
      get contended() {
        return contended();
      },
      waiters: () => this.waiters(),
    };
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
    limit: number,
    asked: AcquireContext,
    lease: number,
    admit: (acquired: Acquired) => T,
  ): Promise<T> {
    const callers = this.callersFor(limit);
    callers.count += 1;
    try {
      return await callers.acquirer.acquire(asked, lease, admit);
    } finally {
      callers.count -= 1;
      if (callers.count === 0) void this.drop(limit, callers);
    }
  }

  private callersFor(limit: number): OrderedCallers {
    const known = this.ordered.get(limit);
    if (known) return known;
    const locks = new LimitTurns(this.waiting.limits, limit, this.differences);
    const callers = { acquirer: new FairAcquirer({ ...this.waiting, locks, isGiven: false }), count: 0 };
    this.ordered.set(limit, callers);
    return callers;
  }

  /**
   * Drops an acquirer without callers once it has given back what came too late. Limits may be computed: one acquirer for
   * each that was ever asked for would fill the memory.
   */
  private async drop(limit: number, callers: OrderedCallers): Promise<void> {
    await callers.acquirer.settled();
    if (callers.count === 0) this.ordered.delete(limit);
  }
}
