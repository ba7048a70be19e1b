import type { AcquireOutcome, AcquireRequest, WriteLockOperations } from '../../backend/lock-operations.js';
import type { LockEvents } from '../../events/lock-events.js';
import type { OwnerIds } from '../../context/owner-ids.js';
import { LockAttempts, type Acquired } from '../lock-attempts.js';
import { QueuedAcquirer } from '../queued-acquirer.js';
import { type Acquirer, type AcquireContext, type WaitDependencies } from '../acquirer.js';
import { InFlight } from '../../concurrency/in-flight.js';
import { readWriteLockChannel } from '../../keys/redisson-keys.js';
import { AnnouncedWriters } from './announced-writers.js';

/** Dependencies of the wait of writers on one connection. */
interface WriterWaiting extends WaitDependencies {
  /** Milliseconds after which the server admits readers again if the process of a waiting writer has died. */
  readonly slot: number;
}

/**
 * Keeps new readers out while writers wait. Each attempt of a waiting writer also announces it on the server, and a
 * heartbeat keeps the announcement. When the last writer stops waiting, the announcement is withdrawn at once; if this
 * process dies, it ends with its slot.
 */
export class WriterPreferenceAcquirer implements Acquirer<number, Acquired> {
  private readonly waiting = new Map<string, AnnouncedWriters>();
  private readonly announcing = new InFlight();
  private readonly queued: QueuedAcquirer<number, Acquired>;

  /** @param attempts For callers that make one attempt and do not wait. */
  constructor(
    private readonly locks: WriteLockOperations,
    private readonly attempts: Acquirer<number, Acquired>,
    private readonly owners: OwnerIds,
    private readonly events: LockEvents,
    private readonly dependencies: WriterWaiting,
  ) {
    const announcing = {
      acquire: (request: AcquireRequest) => this.attempt(request),
      release: locks.release.bind(locks),
    };
    this.queued = new QueuedAcquirer(new LockAttempts(announcing, owners, events), dependencies, readWriteLockChannel);
  }

  async acquire<T>(asked: AcquireContext, wanted: number, admit: (acquired: Acquired) => T): Promise<T> {
    if (asked.limit.ended) return this.attempts.acquire(asked, wanted, admit);
    const { name } = asked;
    const writers = this.waiting.get(name) ?? this.writersFor(name);
    this.waiting.set(name, writers);
    writers.count += 1;
    try {
      return await this.queued.acquire(asked, wanted, admit);
    } finally {
      writers.count -= 1;
      if (writers.count === 0) {
        this.waiting.delete(name);
        writers.withdraw();
      }
    }
  }

  async settled(): Promise<void> {
    await this.queued.settled();
    await this.announcing.settled();
  }

  get contended(): number {
    return this.queued.contended;
  }

  waiters(): Iterable<AcquireContext> {
    return this.queued.waiters();
  }

  private writersFor(name: string): AnnouncedWriters {
    const { locks, owners, events, announcing, dependencies } = this;
    const { slot, scheduler } = dependencies;
    const services = { locks, events, scheduler, inFlight: announcing };
    return new AnnouncedWriters(name, { id: owners.next(), slot }, services);
  }

  private attempt(request: AcquireRequest): Promise<AcquireOutcome> {
    return this.waiting.get(request.name)?.attempt(request) ?? this.locks.acquire(request);
  }
}
