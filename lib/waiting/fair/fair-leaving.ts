import type { LockBackend } from '../../backend/lock-backend.js';
import type { LockEvents } from '../../events/lock-events.js';
import { runOutsideContexts } from '../../context/owner-context.js';
import type { OwnerId } from '../../context/owner-ids.js';
import type { InFlight } from '../../concurrency.js';

/**
 * Places given up by one request: few enough not to block the server for long, even if each of them has to be searched
 * for in a long queue.
 */
const MAX_BATCH = 100;

/** An owner that has left, not yet reported to the server. */
interface Leaver {
  readonly owner: OwnerId;
  readonly lease: number;
}

interface LeavingServices {
  readonly locks: Pick<LockBackend['fairLock'], 'leave'>;
  readonly events: LockEvents;
  readonly slot: number;
}

/**
 * Reports to the server which waiters for fair locks have left. Waiters that leave together, as when one signal ends
 * thousands of waits, or while another report is in flight, are reported in batches.
 */
export class FairLeaving {
  private readonly leavers = new Map<string, Leaver[]>();

  constructor(
    private readonly parts: LeavingServices,
    private readonly inFlight: InFlight,
  ) {}

  /** Gives up the place of the owner, and the lock if an attempt acquired it. Continues in the background. */
  leave(name: string, owner: OwnerId, lease: number): void {
    const others = this.leavers.get(name);
    if (others) {
      others.push({ owner, lease });
      return;
    }
    const leavers = [{ owner, lease }];
    this.leavers.set(name, leavers);
    void runOutsideContexts(() => this.inFlight.add(this.report(name, leavers)));
  }

  private async report(name: string, leavers: Leaver[]): Promise<void> {
    // Waiters that leave in the same turn are reported together.
    await Promise.resolve();
    while (leavers.length > 0) await this.reportBatch(name, leavers.splice(0, MAX_BATCH));
    this.leavers.delete(name);
  }

  /** Never rejects: a failure is emitted as an event. */
  private async reportBatch(name: string, batch: readonly Leaver[]): Promise<void> {
    const { locks, events, slot } = this.parts;
    const owners = batch.map(({ owner }) => owner);
    const lease = Math.max(...batch.map((leaver) => leaver.lease));
    try {
      await locks.leave({ name, owners, lease, slot });
    } catch (error) {
      for (const owner of owners) events.emit({ type: 'release-failed', lockName: name, owner, error });
    }
  }
}
