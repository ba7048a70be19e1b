import type {
  AcquireOutcome,
  AcquireRequest,
  WaitingWriter,
  WriteLockOperations,
} from '../../backend/lock-operations.js';
import type { InFlight } from '../../concurrency/in-flight.js';
import { runOutsideContexts } from '../../context/owner-context.js';
import type { LockEvents } from '../../events/lock-events.js';
import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';
import { Heartbeat } from '../heartbeat.js';

interface AnnouncingServices {
  readonly locks: Pick<WriteLockOperations, 'acquire' | 'announce' | 'withdraw'>;
  readonly events: LockEvents;
  readonly scheduler: MonotonicScheduler;
  readonly inFlight: InFlight;
}

/** The writers of this process that wait for one lock. They share one announcement on the server. */
export class AnnouncedWriters {
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
