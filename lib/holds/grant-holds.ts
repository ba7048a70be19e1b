import type { Stopwatch } from '../time/scheduler.js';
import { type LeaseTerms, renewalOf } from '../waiting/acquire.options.js';
import { type HoldTerm, type Seat, WITHOUT_END } from './seat.js';
import type { Hold } from './hold.js';

/** How a hold ends: `scoped` with the callback it was acquired for, `manual` when its acquirer releases it. */
export type HoldLifetime = 'scoped' | 'manual';

/** A hold as its grant sees it. */
export interface CountedHold extends Hold {
  readonly lifetime: HoldLifetime;
  /** Its place among those that the grant counts. */
  readonly seat: HoldSeat;
}

type HoldSeat = Seat<CountedHold>;
/** A hold, of which only the place is known. */
export type Seated = Pick<CountedHold, 'seat'>;

/** Stands for the array of a grant without holds; never changed. */
const NONE: never[] = [];

/**
 * The holds of one grant, in the order they were added, and their terms. There are thousands of grants, most with one
 * hold, and the watchdog checks each in every round: an array is smaller than a `Map`, and nothing is copied
 * (docs/architecture.md#hot-path). One of one hold is made as such, since one that grows takes room for 17.
 */
export class GrantHolds {
  private seats: HoldSeat[] = NONE;
  private since: number;
  /** The lock stays held until this time even if all holds leave sooner; by the clock that is never too early. */
  private minHoldUntil: number | undefined = undefined;

  /**
   * @param clock Started before the grant. It counts suspensions of the machine, as the server does: what is left of a lease
   *   must not grow by them.
   * @param defaultLease Milliseconds granted by each renewal of the watchdog, unless a hold asks for others.
   * @param maxHold Longest time after the grant for which the watchdog renews, ms, unless a hold asks for another; may be
   *   `Infinity`.
   */
  constructor(
    private clock: Stopwatch,
    private readonly defaultLease: number,
    private maxHold: number,
  ) {
    this.since = this.now;
  }

  get count(): number {
    return this.seats.length;
  }

  /** Milliseconds since the grant. */
  get age(): number {
    return this.now - this.since;
  }

  /** Whether the watchdog renews any hold. */
  get isWatched(): boolean {
    for (const { term } of this.seats) if (term.isWatched) return true;
    return false;
  }

  /** Milliseconds until the last hold expires; `Infinity`: never. */
  get left(): number {
    let last = Number.NEGATIVE_INFINITY;
    for (const { term } of this.seats) last = Math.max(last, term.end);
    // On the hot path: most have no end, and the clocks are not read.
    return Number.isFinite(last) ? last - this.now : last;
  }

  /** Milliseconds for which the watchdog renews any hold at most; `Infinity`: without end; 0: it renews none. */
  get keptFor(): number {
    let last = 0;
    for (const { term } of this.seats) if (term.isWatched) last = Math.max(last, term.end);
    return last > 0 && Number.isFinite(last) ? Math.max(0, last - this.now) : last;
  }

  /** Counts the age from the begin of earlier holds, with their limit, and keeps the lock for at least as long. */
  follow({ clock, since, maxHold, minHoldUntil }: GrantHolds): void {
    this.clock = clock;
    this.since = since;
    this.maxHold = maxHold;
    this.minHoldUntil = minHoldUntil;
  }

  /** Keeps the lock held for at least `ms` from now. */
  holdAtLeast(ms: number): void {
    this.minHoldUntil = Math.max(this.minHoldUntil ?? 0, this.clock.leastElapsed + ms);
  }

  /** Milliseconds for which the lock must stay held without any hold; 0 or less: none. */
  get minHoldLeft(): number {
    const { minHoldUntil } = this;
    return minHoldUntil === undefined ? 0 : Math.ceil(minHoldUntil - this.clock.leastElapsed);
  }

  /** Whether any hold has time left: a hold past its own lease that was not released keeps nothing. */
  get isLasting(): boolean {
    return this.left > 0;
  }

  /** The limit that ends the hold lasting longest, ms; may be `Infinity`. */
  get limit(): number {
    let last: HoldTerm | undefined;
    for (const { term } of this.seats) if (term.isWatched && (!last || term.end > last.end)) last = term;
    return last?.renewal?.maxHold ?? this.maxHold;
  }

  /** The longest lease that renewals of the watchdog grant, ms: they follow each other three times as fast. */
  get renewedLease(): number {
    let longest = 0;
    for (const { term } of this.seats) if (term.isWatched) longest = Math.max(longest, this.renewedLeaseOf(term));
    return longest || this.defaultLease;
  }

  /** The term of a hold that begins now. */
  termOf(lease: LeaseTerms): HoldTerm {
    if (typeof lease === 'number') return { end: this.now + lease, isWatched: false };
    const end = lease?.maxHold === undefined ? this.since + this.maxHold : this.now + lease.maxHold;
    if (lease) return { end, isWatched: true, renewal: lease };
    return Number.isFinite(end) ? { end, isWatched: true } : WITHOUT_END;
  }

  /** Adds the hold of the acquisition: re-entries that give no limit have its own. */
  setFirst(hold: Seated, lease: LeaseTerms): void {
    this.maxHold = renewalOf(lease)?.maxHold ?? this.maxHold;
    this.set(hold, this.termOf(lease));
  }

  get({ seat }: Seated): HoldTerm | undefined {
    return this.seats.includes(seat) ? seat.term : undefined;
  }

  set({ seat }: Seated, term: HoldTerm): void {
    seat.term = term;
    if (this.seats.length === 0) this.seats = [seat];
    else if (!this.seats.includes(seat)) this.seats.push(seat);
  }

  delete({ seat }: Seated): void {
    const place = this.seats.lastIndexOf(seat);
    if (place !== -1) this.seats.splice(place, 1);
  }

  /** Refers weakly to the watched holds that their acquirers have to release; calls `tell` with each, once. */
  weaken(tell: (hold: CountedHold) => void): void {
    for (const seat of this.seats) {
      const hold = seat.term.isWatched ? seat.weaken?.() : undefined;
      if (hold) tell(hold);
    }
  }

  /** The last hold that its acquirer has to release, and has not. */
  get latestManual(): CountedHold | undefined {
    const isManual = ({ occupant }: HoldSeat): boolean => occupant?.lifetime === 'manual' && !occupant.isReleased;
    return this.seats.findLast(isManual)?.occupant;
  }

  /**
   * The lease that the holds need together, ms: the longest of theirs, and that of one renewal if any is watched.
   * @param entering The term of a hold about to be added.
   */
  needed(entering?: HoldTerm): number {
    const { now } = this;
    let most = Math.max(this.minHoldLeft, entering === undefined ? 0 : this.need(entering, now));
    for (const { term } of this.seats) most = Math.max(most, this.need(term, now));
    return Math.ceil(Math.max(1, most));
  }

  private get now(): number {
    return this.clock.elapsed;
  }

  private need(term: HoldTerm, now: number): number {
    return term.isWatched ? Math.min(this.renewedLeaseOf(term), term.end - now) : term.end - now;
  }

  private renewedLeaseOf({ renewal }: HoldTerm): number {
    return renewal?.lease ?? this.defaultLease;
  }
}
