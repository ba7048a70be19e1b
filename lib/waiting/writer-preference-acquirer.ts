import type { AcquireOutcome, AcquireRequest, WriteLockOperations } from '../backend/lock-operations.js';
import type { LockEvents } from '../events/lock-events.js';
import type { OwnerId, OwnerIds } from '../context/owner-ids.js';
import { LockAttempts, type Acquired } from './lock-attempts.js';
import { QueuedAcquirer } from './queued-acquirer.js';
import { type Acquirer, type AcquireContext, type WaitDependencies } from './acquirer.js';
import { InFlight } from '../concurrency/in-flight.js';
import { readWriteLockChannel } from '../keys/redisson-keys.js';

/** Added to the longest interval between two attempts, ms, for the attempt itself. */
const MAX_ATTEMPT_MS = 1000;

/** The writers of this process that wait for one lock. They share one announcement on the server. */
interface LocalWriters {
  readonly id: OwnerId;
  writers: number;
  /** Whether the server may have the announcement. */
  announced: boolean;
}

/**
 * Keeps new readers out while writers wait. Each attempt of a waiting writer also announces it on the server, and so
 * renews the announcement. When the last writer stops waiting, the announcement is withdrawn at once; if this process
 * dies, it expires.
 */
export class WriterPreferenceAcquirer implements Acquirer<number, Acquired> {
  private readonly waiting = new Map<string, LocalWriters>();
  private readonly withdrawals = new InFlight();
  private readonly queued: QueuedAcquirer<number, Acquired>;
  private readonly announcementMs: number;

  /** @param attempts For callers that make one attempt and do not wait. */
  constructor(
    private readonly locks: WriteLockOperations,
    private readonly attempts: Acquirer<number, Acquired>,
    private readonly owners: OwnerIds,
    private readonly events: LockEvents,
    waiting: WaitDependencies,
  ) {
    const announcing = {
      acquire: (request: AcquireRequest) => this.attempt(request),
      release: locks.release.bind(locks),
    };
    this.queued = new QueuedAcquirer(new LockAttempts(announcing, owners, events), waiting, readWriteLockChannel);
    this.announcementMs = 2 * waiting.polling.subscribed + MAX_ATTEMPT_MS;
  }

  async acquire<T>(asked: AcquireContext, wanted: number, admit: (acquired: Acquired) => T): Promise<T> {
    if (asked.limit.ended) return this.attempts.acquire(asked, wanted, admit);
    const { name } = asked;
    const local = this.waiting.get(name) ?? { id: this.owners.next(), writers: 0, announced: false };
    this.waiting.set(name, local);
    local.writers += 1;
    try {
      return await this.queued.acquire(asked, wanted, admit);
    } finally {
      local.writers -= 1;
      if (local.writers === 0) this.withdraw(name, local);
    }
  }

  async settled(): Promise<void> {
    await this.queued.settled();
    await this.withdrawals.settled();
  }

  get contended(): number {
    return this.queued.contended;
  }

  waiters(): Iterable<AcquireContext> {
    return this.queued.waiters();
  }

  private async attempt(request: AcquireRequest): Promise<AcquireOutcome> {
    const local = this.waiting.get(request.name);
    if (!local) return this.locks.acquire(request);
    const { id, announced } = local;
    local.announced = true;
    const reply = await this.locks.acquire({ ...request, waiting: { id, patience: this.announcementMs } });
    // An attempt that succeeds at once leaves no announcement.
    if (reply.outcome === 'acquired') local.announced = announced;
    return reply;
  }

  private withdraw(name: string, { id, announced }: LocalWriters): void {
    this.waiting.delete(name);
    if (!announced) return;
    this.withdrawals
      .add(this.locks.withdraw(name, id))
      .catch((error: unknown) => this.events.emit({ type: 'release-failed', lockName: name, owner: id, error }));
  }
}
