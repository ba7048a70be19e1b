import type { SteadyScheduler } from '../time/steady-scheduler.js';
import type { GrantedHold } from './granted-hold.js';

/** How long a hold lasts: until the end of a lease of its own, or as long as the watchdog keeps it. */
export interface Term {
  /** By the scheduler; `Infinity`: without end. */
  readonly end: number;
  /** Whether the watchdog renews it until then. */
  readonly isWatched: boolean;
}

export interface HoldLimits {
  /** Milliseconds that each renewal of the watchdog grants. */
  readonly watchdogTimeout: number;
  /** Milliseconds from the grant on for which the watchdog renews at the most; may be `Infinity`. */
  readonly maxHold: number;
}

/**
 * The holds of one grant, in the order they came in, and how long each lasts. There are thousands of grants, and each is
 * asked in every round of the watchdog: nothing is copied.
 */
export class HoldTimes {
  private readonly terms = new Map<GrantedHold, Term>();
  private readonly since: number;

  constructor(
    private readonly scheduler: SteadyScheduler,
    private readonly limits: HoldLimits,
  ) {
    this.since = scheduler.now();
  }

  get count(): number {
    return this.terms.size;
  }

  /** Milliseconds since the grant. */
  get age(): number {
    return this.scheduler.now() - this.since;
  }

  /** Whether the watchdog keeps any. */
  get isWatched(): boolean {
    for (const { isWatched } of this.terms.values()) if (isWatched) return true;
    return false;
  }

  /** Milliseconds until the last of them ends by itself; `Infinity` where it does not. */
  get left(): number {
    let last = Number.NEGATIVE_INFINITY;
    for (const { end } of this.terms.values()) last = Math.max(last, end);
    return last - this.scheduler.now();
  }

  /** Whether any has time left: holds whose own lease is over, and that nobody released, keep nothing. */
  get isLasting(): boolean {
    return this.left > 0;
  }

  /** The term of a hold that asks for a lease of so many milliseconds from now; of one that asks for none. */
  termOf(lease: number | undefined): Term {
    if (lease === undefined) return { end: this.since + this.limits.maxHold, isWatched: true };
    return { end: this.scheduler.now() + lease, isWatched: false };
  }

  get(hold: GrantedHold): Term | undefined {
    return this.terms.get(hold);
  }

  set(hold: GrantedHold, term: Term): void {
    this.terms.set(hold, term);
  }

  delete(hold: GrantedHold): void {
    this.terms.delete(hold);
  }

  findLast(matches: (hold: GrantedHold) => boolean): GrantedHold | undefined {
    return [...this.terms.keys()].findLast(matches);
  }

  /**
   * Milliseconds the holds need together: the longest of their leases, and a round of the watchdog where it keeps one.
   * @param entering The term of one more, that is to come in.
   */
  needed(entering?: Term): number {
    const now = this.scheduler.now();
    let most = entering === undefined ? 0 : this.need(entering, now);
    for (const term of this.terms.values()) most = Math.max(most, this.need(term, now));
    return Math.ceil(Math.max(1, most));
  }

  private need({ end, isWatched }: Term, now: number): number {
    return isWatched ? Math.min(this.limits.watchdogTimeout, end - now) : end - now;
  }
}
