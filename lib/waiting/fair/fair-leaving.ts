import type { FairLockOperations } from '../../backend/fair-lock-operations.js';
import type { LockEvents } from '../../events/lock-events.js';
import { runOutsideRegions } from '../../context/owner-context.js';
import type { OwnerId } from '../../context/ids.js';
import type { InFlight } from '../../concurrency/in-flight.js';

/**
 * Places given up by one request: few enough to leave the server to others soon, also where each of them has to be looked
 * for in a long queue.
 */
const BATCH = 100;

/** Somebody who has left, and whom the server has not been told of yet. */
interface Leaver {
  readonly owner: OwnerId;
  readonly lease: number;
}

/** What leaving takes. */
interface LeavingParts {
  readonly locks: Pick<FairLockOperations, 'leave'>;
  readonly events: LockEvents;
  readonly slot: number;
}

/**
 * Tells the server of waiters for fair locks that have left. Those who leave together, as when one signal ends the waits
 * of thousands, and those who leave while others are being told of, are told of together, batch after batch.
 */
export class FairLeaving {
  private readonly leavers = new Map<string, Leaver[]>();

  constructor(
    private readonly parts: LeavingParts,
    private readonly underWay: InFlight,
  ) {}

  /** Gives up the place of the owner, and the lock if a try got it. Goes on in the background. */
  leave(name: string, owner: OwnerId, lease: number): void {
    const others = this.leavers.get(name);
    if (others) {
      others.push({ owner, lease });
      return;
    }
    const leavers = [{ owner, lease }];
    this.leavers.set(name, leavers);
    void this.underWay.add(runOutsideRegions(() => this.tell(name, leavers)));
  }

  private async tell(name: string, leavers: Leaver[]): Promise<void> {
    // Whoever leaves in the same turn is told of as well.
    await Promise.resolve();
    while (leavers.length > 0) await this.tellOf(name, leavers.splice(0, BATCH));
    this.leavers.delete(name);
  }

  /** Never rejects: what goes wrong is an event. */
  private async tellOf(name: string, batch: readonly Leaver[]): Promise<void> {
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
