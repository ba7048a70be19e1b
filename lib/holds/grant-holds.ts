import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { Hold } from './hold.js';

/**
 * How a hold ends: `scoped` ones with the callback that they were acquired for, `manual` ones when their acquirer releases
 * them.
 */
export type HoldLifetime = 'scoped' | 'manual';

/** What a grant knows of each of its holds. */
export interface CountedHold extends Hold {
  readonly lifetime: HoldLifetime;
}

/** How long a hold lasts: until the end of a lease of its own, or as long as the watchdog keeps it. */
export interface HoldTerm {
  /** By the scheduler; `Infinity`: without end. */
  readonly end: number;
  /** Whether the watchdog renews it until then. */
  readonly isWatched: boolean;
}

/**
 * The holds of one grant, in the order they came in, and how long each lasts. There are thousands of grants, most of them
 * of one hold, and each is asked in every round of the watchdog: a list is small, and nothing is copied.
 */
export class GrantHolds {
  private readonly holds: CountedHold[] = [];
  /** One for each hold. */
  private readonly terms: HoldTerm[] = [];
  private readonly since: number;
  /** Until when the lock is to stay held, however soon its holds leave. */
  private minHoldUntil = Number.NEGATIVE_INFINITY;

  /**
   * @param watchdogTimeout Milliseconds that each renewal of the watchdog grants.
   * @param maxHold Milliseconds from the grant on for which the watchdog renews at the most; may be `Infinity`.
   */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly watchdogTimeout: number,
    private readonly maxHold: number,
  ) {
    this.since = scheduler.now();
  }

  get count(): number {
    return this.holds.length;
  }

  /** Milliseconds since the grant. */
  get age(): number {
    return this.scheduler.now() - this.since;
  }

  /** Whether the watchdog keeps any. */
  get isWatched(): boolean {
    for (const { isWatched } of this.terms) if (isWatched) return true;
    return false;
  }

  /** Milliseconds until the last of them ends by itself; `Infinity` where it does not. */
  get left(): number {
    let last = Number.NEGATIVE_INFINITY;
    for (const { end } of this.terms) last = Math.max(last, end);
    return last - this.scheduler.now();
  }

  /** Keeps the lock for `ms` from now at least. */
  holdAtLeast(ms: number): void {
    this.minHoldUntil = Math.max(this.minHoldUntil, this.scheduler.now() + ms);
  }

  /** Milliseconds that the lock is to stay held although nobody holds it any more; 0 or less: none. */
  get minHoldLeft(): number {
    return Math.ceil(this.minHoldUntil - this.scheduler.now());
  }

  /** Whether any has time left: holds whose own lease is over, and that nobody released, keep nothing. */
  get isLasting(): boolean {
    return this.left > 0;
  }

  /** The term of a hold that asks for a lease of so many milliseconds from now; of one that asks for none. */
  termOf(lease: number | undefined): HoldTerm {
    if (lease === undefined) return { end: this.since + this.maxHold, isWatched: true };
    return { end: this.scheduler.now() + lease, isWatched: false };
  }

  get(hold: CountedHold): HoldTerm | undefined {
    return this.terms[this.holds.lastIndexOf(hold)];
  }

  set(hold: CountedHold, term: HoldTerm): void {
    const known = this.holds.lastIndexOf(hold);
    const place = known === -1 ? this.holds.length : known;
    this.holds[place] = hold;
    this.terms[place] = term;
  }

  delete(hold: CountedHold): void {
    const place = this.holds.lastIndexOf(hold);
    if (place === -1) return;
    this.holds.splice(place, 1);
    this.terms.splice(place, 1);
  }

  findLast(matches: (hold: CountedHold) => boolean): CountedHold | undefined {
    return this.holds.findLast(matches);
  }

  /**
   * Milliseconds the holds need together: the longest of their leases, and a round of the watchdog where it keeps one.
   * @param entering The term of one more, that is to come in.
   */
  needed(entering?: HoldTerm): number {
    const now = this.scheduler.now();
    let most = Math.max(this.minHoldUntil - now, entering === undefined ? 0 : this.need(entering, now));
    for (const term of this.terms) most = Math.max(most, this.need(term, now));
    return Math.ceil(Math.max(1, most));
  }

  private need({ end, isWatched }: HoldTerm, now: number): number {
    return isWatched ? Math.min(this.watchdogTimeout, end - now) : end - now;
  }
}

/** The age from which on a hold is said to be long where nothing limits it, ms. */
const LONG_HOLD_MS = 300_000;

/** What the watchdog is to say of a hold that it keeps. */
export type HoldAgeWarning = 'held-too-long' | 'held-long';

/** Notices, once each, that a hold is kept for very long, and that it is kept no longer. */
export class HoldAgeCheck {
  /** Whether it was held for as long as the watchdog keeps anything: what is left is its last renewal. Until extended. */
  isOver = false;
  private isKnownAsLong = false;

  /**
   * @param maxHold Milliseconds for which the watchdog keeps a hold at the most; may be `Infinity`.
   * @param lastRenewal Milliseconds before that from which on there is no further renewal.
   */
  constructor(
    private readonly holds: GrantHolds,
    private readonly maxHold: number,
    private readonly lastRenewal: number,
  ) {}

  /** To be called again and again. */
  check(): HoldAgeWarning | undefined {
    const { holds, maxHold } = this;
    if (!holds.isWatched) return undefined;
    const wasOver = this.isOver;
    this.isOver = holds.left <= this.lastRenewal;
    if (this.isOver) return wasOver ? undefined : 'held-too-long';
    if (this.isKnownAsLong || maxHold !== Number.POSITIVE_INFINITY || holds.age < LONG_HOLD_MS) return undefined;
    this.isKnownAsLong = true;
    return 'held-long';
  }
}
