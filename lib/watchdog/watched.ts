import type { LockOperations } from '../backend/lock-operations.js';
import type { OwnerId } from '../context/owner-ids.js';
import type { OfHold } from '../events/lock-notices.js';
import type { Lease } from './lease.js';
import type { ScheduleEntry } from './renewal-schedule.js';

/** A hold that the watchdog looks after until it is released or lost, or until its own lease ends. */
export interface Watched {
  /** Managed by the watchdog. */
  scheduleEntry?: ScheduleEntry<Watched> | undefined;
  /** Operations that renew it, in one batch with other holds of the same kind. */
  readonly operations: Pick<LockOperations, 'renew'>;
  readonly name: string;
  readonly owner: OwnerId;
  /** The method or interceptor that acquired it, if any. */
  readonly method: string | undefined;
  readonly lease: Lease;
  /** Milliseconds since the grant. */
  readonly heldFor: number;
  /** The fields of events about it. */
  readonly eventFields: OfHold;
  /** Why it was lost; `undefined`: it was not. */
  readonly loss: string | undefined;
  /** The lease that it needs from now on, ms. */
  readonly neededLease: number;
  /** Milliseconds that each renewal grants, as far as the hold lasts that long. */
  readonly renewedLease: number;
  /** Whether it will end by itself soon: its deadline then keeps its timer even while renewals work. */
  readonly isEnding: boolean;
  /** Whether it is renewed; otherwise it is only verified. */
  readonly isRenewed: boolean;
  /** Whether another command for it is in flight, which extends its lease as well. */
  readonly isBusy: boolean;
  /** Asks the server whether it still has the lock; if not, the hold is lost. Never rejects. */
  verify(): Promise<void>;
  /** Called when a renewal was confirmed. @param lease Milliseconds. */
  onRenewed(lease: number): void;
  /** Called in every round: emits an event if it has been held for too long. */
  checkAge(): void;
}
