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

/**
 * The acquirers of the limits of one connection. Without an order, the waiters of one name have one wait queue, whatever
 * their limits. With one, each waiter has a place on the server, and those of one limit share a wait queue here.
 */
export class LimitAcquirers implements Drainable {
  private readonly differences: LimitDifferences;
  private readonly unordered: QueuedAcquirer<WantedPermit, AcquiredPermit>;
  /** One for each limit that was ever asked for: limits are few. */
  private readonly ordered = new Map<number, FairAcquirer>();

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
        return this.orderedBy(limit).acquire(asked, lease, admit);
      },
      settled: () => this.settled(),
      get contended() {
        return contended();
      },
      waiters: () => this.waiters(),
    };
  }

  async settled(): Promise<void> {
    await Promise.all([this.unordered, ...this.ordered.values()].map((acquirer) => acquirer.settled()));
  }

  get contended(): number {
    return [this.unordered, ...this.ordered.values()].reduce((sum, { contended }) => sum + contended, 0);
  }

  *waiters(): Generator<AcquireContext> {
    for (const acquirer of [this.unordered, ...this.ordered.values()]) yield* acquirer.waiters();
  }

  private orderedBy(limit: number): FairAcquirer {
    const known = this.ordered.get(limit);
    if (known) return known;
    const locks = new LimitTurns(this.waiting.limits, limit, this.differences);
    const acquirer = new FairAcquirer({ ...this.waiting, locks, isGiven: false });
    this.ordered.set(limit, acquirer);
    return acquirer;
  }
}
