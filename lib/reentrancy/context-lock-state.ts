import type { OwnerContext } from '../context/region.js';
import { AsyncMutex } from '../concurrency/async-mutex.js';
import type { Grant } from '../holds/grant.js';
import type { LockFamily } from '../holds/lock-kind.js';

/** Under which name regions keep what they keep about a lock. */
export const seatName = (family: LockFamily, name: string): string => `${family} ${name}`;

/** What one region keeps about one lock. */
export class ContextLockState {
  /** Callbacks that lock inside the region, one at a time. */
  readonly callbacks: AsyncMutex;
  /** Acquisitions inside a scope, one at a time, so that the second finds what the first was granted. */
  readonly admissions: AsyncMutex;
  /** What the scope holds. */
  grant: Grant | undefined;

  constructor(onIdle: () => void) {
    this.callbacks = new AsyncMutex(onIdle);
    this.admissions = new AsyncMutex(onIdle);
  }

  /** What the scope holds and may go on with. What it lost it may take again, as a thread may. */
  get usable(): Grant | undefined {
    return this.grant?.isJoinable && !this.grant.isLost ? this.grant : undefined;
  }

  get isIdle(): boolean {
    return !this.usable && this.callbacks.isIdle && this.admissions.isIdle;
  }
}

/** The seats of all regions on the locks of one connection; a seat that nothing uses any more is gone. */
export class ContextLockStates {
  private readonly byRegion = new WeakMap<OwnerContext, Map<string, ContextLockState>>();

  find(region: OwnerContext, name: string): ContextLockState | undefined {
    return this.byRegion.get(region)?.get(name);
  }

  take(region: OwnerContext, name: string): ContextLockState {
    const found = this.find(region, name);
    if (found) return found;
    const seats = this.byRegion.get(region) ?? new Map<string, ContextLockState>();
    this.byRegion.set(region, seats);
    const seat = new ContextLockState(() => this.tidy(region, name));
    seats.set(name, seat);
    return seat;
  }

  /** To be called when something about the seat has ended. */
  tidy(region: OwnerContext, name: string): void {
    if (this.find(region, name)?.isIdle) this.byRegion.get(region)?.delete(name);
  }
}
