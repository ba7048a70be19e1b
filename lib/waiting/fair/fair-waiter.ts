import type { FairLockOperations, QueueOutcome } from '../../backend/fair-lock-operations.js';
import { LockUnavailableError } from '../../errors.js';
import type { LockEvents } from '../../events/lock-events.js';
import type { OwnerId, OwnerIds } from '../../context/ids.js';
import type { Acquired } from '../lock-attempts.js';
import type { FairLeaving } from './fair-leaving.js';
import type { InFlight } from '../../concurrency/in-flight.js';
import type { AcquireContext, WaitDependencies } from '../acquirer.js';

/** What the waiting for all fair locks of one connection shares. */
export interface FairWaiting extends WaitDependencies {
  readonly locks: FairLockOperations;
  readonly owners: OwnerIds;
  readonly events: LockEvents;
  readonly underWay: InFlight;
  readonly leaving: FairLeaving;
  /** Milliseconds for which the server keeps the place of a waiter that it does not hear of. */
  readonly slot: number;
}

/** Told once how the wait ended. */
export interface WaiterCallbacks {
  granted(got: Acquired): void;
  refused(error: unknown): void;
}

/** One who waits for a fair lock: who that is on the server, and what there is to give up there. */
export class FairWaiter {
  /** One request at a time: what the next finds is what the last has left. */
  isAttempting = false;
  /** Whether that request is one more look before its wait ends. */
  isLastLook = false;
  private id: OwnerId;
  private mayHavePlace = false;

  constructor(
    readonly context: AcquireContext,
    /** Milliseconds. */
    readonly lease: number,
    private readonly callbacks: WaiterCallbacks,
    private readonly waiting: FairWaiting,
  ) {
    this.id = waiting.owners.next();
  }

  /** Its place, and the lock that it gets, are under this. */
  get owner(): OwnerId {
    return this.id;
  }

  /** One try, which leaves it with a place, or the lock. */
  async attempt(): Promise<QueueOutcome> {
    const { owner, lease, waiting } = this;
    try {
      const reply = await waiting.locks.queue({ name: this.context.name, owner, lease, slot: waiting.slot });
      this.mayHavePlace = true;
      return reply;
    } catch (error) {
      if (error instanceof LockUnavailableError && error.outcome === 'unknown') this.mayHavePlace = true;
      throw error;
    }
  }

  /** What it waited for is its own now: nothing is left to give up. */
  grant(got: Acquired): void {
    this.mayHavePlace = false;
    this.callbacks.granted(got);
  }

  /** Where a try is on its way, it has to {@link leave} after that. */
  fail(error: unknown): void {
    this.callbacks.refused(error);
    if (!this.isAttempting) this.leave();
  }

  /** Gives up its place, and the lock if a try got it. Goes on in the background. */
  leave(): void {
    if (!this.mayHavePlace) return;
    this.mayHavePlace = false;
    this.waiting.leaving.leave(this.context.name, this.owner, this.lease);
  }

  /** Goes on as another owner: giving up what there is under the old id may take a while. */
  startOver(): void {
    this.leave();
    this.id = this.waiting.owners.next();
  }
}
