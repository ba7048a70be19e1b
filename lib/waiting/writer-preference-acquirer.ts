import type { LockBackend } from '../backend/lock-backend.js';
import type { AcquireOutcome, AcquireRequest, WaitingWriter } from '../backend/lock-operations.js';
import { InFlight } from '../concurrency.js';
import { runOutsideContexts } from '../context/owner-context.js';
import type { LockEvents } from '../events/lock-events.js';
import type { MonotonicScheduler } from '../time/scheduler.js';
import { Heartbeat } from './heartbeat.js';
import type { OwnerIds } from '../context/owner-ids.js';
import { type Acquired, LockAttempts } from './lock-attempts.js';
import { QueuedAcquirer } from './queued-acquirer.js';
import type { AcquireContext, Acquirer, WaitDependencies } from './acquirer.js';
import { readWriteLockChannel } from '../keys/redisson-keys.js';

interface AnnouncingServices {
  readonly locks: Pick<LockBackend['writeLock'], 'acquire' | 'announce' | 'withdraw'>;
  readonly events: LockEvents;
  readonly scheduler: MonotonicScheduler;
  readonly inFlight: InFlight;
}

/** The writers of this process that wait for one lock. They share one announcement on the server. */
class AnnouncedWriters {
  /** How many wait. */
  count = 0;
  /** Whether the server may have the announcement. */
  private isAnnounced = false;
  private isWithdrawn = false;
  private readonly heartbeat: Heartbeat;

  constructor(
    private readonly name: string,
    private readonly writer: WaitingWriter,
    private readonly services: AnnouncingServices,
  ) {
    const { scheduler, inFlight, locks } = services;
    this.heartbeat = new Heartbeat(
      { scheduler, inFlight, slot: writer.slot },
      () => locks.announce(name, writer),
      // The next attempt meets the same obstacle, and tells the writers of it; if it does not, it starts the heartbeat.
      () => this.heartbeat.stop(),
    );
  }

  /** Makes an attempt that announces the writers if it is in vain. */
  async attempt(request: AcquireRequest): Promise<AcquireOutcome> {
    const { isAnnounced } = this;
    this.isAnnounced = true;
    try {
      const reply = await this.services.locks.acquire({ ...request, waiting: this.writer });
      // An attempt that succeeds at once leaves no announcement.
      if (reply.outcome === 'acquired') this.isAnnounced = isAnnounced;
      else this.keep();
      return reply;
    } catch (error) {
      // It may have announced them nevertheless.
      this.keep();
      throw error;
    }
  }

  /** Called when the last of them waits no longer. */
  withdraw(): void {
    this.isWithdrawn = true;
    this.heartbeat.stop();
    if (!this.isAnnounced) return;
    const { name, writer } = this;
    const { locks, events, inFlight } = this.services;
    inFlight
      .add(runOutsideContexts(() => locks.withdraw(name, writer)))
      .catch((error: unknown) => events.emit({ type: 'release-failed', lockName: name, owner: writer.id, error }));
  }

  private keep(): void {
    if (!this.isWithdrawn && !this.heartbeat.isRunning) runOutsideContexts(() => this.heartbeat.start());
  }
}

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
    private readonly locks: LockBackend['writeLock'],
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
