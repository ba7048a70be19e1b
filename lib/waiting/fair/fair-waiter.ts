import type { LockBackend } from '../../backend/lock-backend.js';
import type { QueueOutcome, QueueRequest } from '../../backend/kinds/queued-lock.js';
import type { AcquireOutcome, AcquireRequest } from '../../backend/lock-operations.js';
import { LockUnavailableError } from '../../errors.js';
import type { LockEvents } from '../../events/lock-events.js';
import type { OwnerId, OwnerIds } from '../../context/owner-ids.js';
import type { Acquired } from '../lock-attempts.js';
import type { FairLeaving } from './fair-leaving.js';
import type { InFlight } from '../../concurrency.js';
import type { PermitsInUse } from '../attempt-strategy.js';
import type { AcquireContext, WaitDependencies } from '../acquirer.js';

/** Request of a waiter with a place on the server. */
export interface TurnOperations extends Pick<
  LockBackend['fairLock'],
  'hold' | 'release' | 'leave' | 'keep' | 'grantChannel' | 'firstLease'
> {
  acquire(request: AcquireRequest): Promise<AcquireOutcome>;
  queue(request: QueueRequest): Promise<QueueOutcome<PermitsInUse>>;
}

/** Dependencies that the wait queues of all fair locks of one connection share. */
export interface FairWaiting extends WaitDependencies {
  readonly locks: TurnOperations;
  readonly owners: OwnerIds;
  readonly events: LockEvents;
  readonly inFlight: InFlight;
  readonly leaving: FairLeaving;
  /** Whether waiters are given the lock by its releases. Otherwise they are told, and ask. */
  readonly isGiven: boolean;
  /** Milliseconds after which the server drops the place of a waiter unless its process keeps it alive. */
  readonly slot: number;
}

/** Exactly one of these is called, once. */
interface WaiterCallbacks {
  granted(got: Acquired): void;
  refused(error: unknown): void;
}

/** A waiter for a fair lock: its owner id, and whether it may have a place or the lock on the server. */
export class FairWaiter {
  /** Whether an attempt is in flight. One at a time, so that each sees the effect of the one before. */
  isAttempting = false;
  /** Whether that attempt is the last look before the wait ends. */
  isLastLook = false;
  /** Whether the server may have given it the lock although no grant that counts came: its next attempt tells. */
  mayHold = false;
  /** Whether the server has given it the lock for a first lease. */
  isGiven = false;
  /** Whether the one before it in the queue may be of Redisson, and tell it on its own channel. */
  isMixed = true;
  private id: OwnerId;
  private mayHavePlace = false;

  constructor(
    readonly context: AcquireContext,
    /** Milliseconds. */
    readonly lease: number,
    private readonly callbacks: WaiterCallbacks,
    private readonly waiting: FairWaiting,
  ) {
    this.id = waiting.owners.nextInQueue(context.name);
  }

  /** The id of its place on the server, and of the lock once acquired. */
  get owner(): OwnerId {
    return this.id;
  }

  /** One attempt, which leaves the waiter with a place or with the lock. */
  async attempt(): Promise<QueueOutcome<PermitsInUse>> {
    const { owner, lease, waiting, isGiven } = this;
    const { name } = this.context;
    // A grant that comes during this attempt may be newer.
    this.mayHold = false;
    this.isGiven = false;
    try {
      if (isGiven) {
        const held = await waiting.locks.hold({ name, owner, count: 1, lease });
        if (held.outcome === 'held') return { outcome: 'acquired', sent: held.sent };
      }
      const firstLease = waiting.isGiven ? waiting.locks.firstLease(name, lease) : 0;
      const reply = await waiting.locks.queue({ name, owner, lease, slot: waiting.slot, firstLease });
      this.mayHavePlace = true;
      if (reply.outcome !== 'acquired') this.context.observer?.onWaiting();
      return reply;
    } catch (error) {
      if (error instanceof LockUnavailableError && error.outcome === 'unknown') this.mayHavePlace = true;
      throw error;
    }
  }

  /** Ends the wait with success. The lock belongs to the caller, so nothing is left to give up. */
  grant(got: Acquired): void {
    this.mayHavePlace = false;
    this.callbacks.granted(got);
  }

  /** Ends the wait with an error. If an attempt is in flight, call {@link leave} after it. */
  fail(error: unknown): void {
    this.callbacks.refused(error);
    if (!this.isAttempting) this.leave();
  }

  /** Gives up its place, and the lock if an attempt acquired it. Continues in the background. */
  leave(): void {
    if (!this.mayHavePlace) return;
    this.mayHavePlace = false;
    this.waiting.leaving.leave(this.context.name, this.owner, this.lease);
  }

  /** Continues under a new owner id: giving up the place or lock of the old one may take a while. */
  startOver(): void {
    this.leave();
    this.id = this.waiting.owners.nextInQueue(this.context.name);
  }
}
