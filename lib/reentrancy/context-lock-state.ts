import type { Region } from '../context/region.js';
import { Turns } from '../concurrency/async-mutex.js';
import type { Grant } from '../holds/grant.js';
import type { LockFamily } from '../holds/lock-kind.js';

/** Under which name regions keep what they keep about a lock. */
export const seatName = (family: LockFamily, name: string): string => `${family} ${name}`;

/** What one region keeps about one lock. */
export class Seat {
  /** Callbacks that lock inside the region, one at a time. */
  readonly callbacks: Turns;
  /** Acquisitions inside a scope, one at a time, so that the second finds what the first was granted. */
  readonly admissions: Turns;
  /** What the scope holds. */
  grant: Grant | undefined;

  constructor(onIdle: () => void) {
    this.callbacks = new Turns(onIdle);
    this.admissions = new Turns(onIdle);
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
export class Seats {
  private readonly byRegion = new WeakMap<Region, Map<string, Seat>>();

  find(region: Region, name: string): Seat | undefined {
    return this.byRegion.get(region)?.get(name);
  }

  take(region: Region, name: string): Seat {
    const found = this.find(region, name);
    if (found) return found;
    const seats = this.byRegion.get(region) ?? new Map<string, Seat>();
    this.byRegion.set(region, seats);
    const seat = new Seat(() => this.tidy(region, name));
    seats.set(name, seat);
    return seat;
  }

  /** To be called when something about the seat has ended. */
  tidy(region: Region, name: string): void {
    if (this.find(region, name)?.isIdle) this.byRegion.get(region)?.delete(name);
  }
}
