import type { RenewalTerms } from '../waiting/acquire.options.js';
import { LIBRARY_FOLDER, stackHere } from '../validation/own-place.js';

/** To find a place takes some 40 µs of CPU, so that this many in a second do not count. */
const MOST_IN_A_SECOND = 100;

const FRAME = /^\s*at /;

/** Finds the lines of code that call this library: as often as costs little, since few are ever asked for. */
export class CallerPlaces {
  private second = Number.NEGATIVE_INFINITY;
  private inSecond = 0;

  /**
   * The innermost line of the stack that is not of this library, such as `Orders.pay (/app/orders.js:12:30)`; of a bundled
   * library the whole stack. `undefined`: not found, or too many were asked for within a second.
   * @param now Milliseconds.
   */
  find(now: number): string | undefined {
    if (now - this.second >= 1000) [this.second, this.inSecond] = [now, 0];
    this.inSecond += 1;
    return this.inSecond > MOST_IN_A_SECOND ? undefined : callerIn(stackHere());
  }
}

const callerIn = (stack: string): string | undefined => {
  const frames = stack
    .split('\n')
    .filter((line) => FRAME.test(line) && !line.includes('node:internal'))
    .map((line) => line.replace(FRAME, ''));
  const library = LIBRARY_FOLDER;
  return library === undefined ? frames.join(', ') || undefined : frames.find((frame) => !frame.includes(library));
};

/** How long a hold lasts: until the end of its own lease, or as long as the watchdog renews it. */
export interface HoldTerm {
  /** By the clock of the grant; `Infinity`: no end. */
  readonly end: number;
  /** Whether the watchdog renews it until then. */
  readonly isWatched: boolean;
  /** How it is renewed. Absent: as the grant is. */
  readonly renewal?: RenewalTerms;
}

/** The term of most holds: one object for all of them. */
export const WITHOUT_END: HoldTerm = { end: Number.POSITIVE_INFINITY, isWatched: true };

/** The term of a hold that is to last for another one as well: it ends with the later of them, and stays renewed. */
export const longerOf = (before: HoldTerm, after: HoldTerm): HoldTerm => ({
  ...(before.isWatched ? before : after),
  end: Math.max(before.end, after.end),
});

/** The place of a hold among those that its grant counts. */
export interface Seat<H> {
  /** Set by the grant. */
  term: HoldTerm;
  /** The hold; `undefined` once it was collected. */
  readonly occupant: H | undefined;
  /** The line of code that acquired the hold, as far as it is known. */
  readonly acquiredAt?: string | undefined;
  /** Refers to the hold weakly from now on, and returns it if it did not before. Absent: it never does. */
  weaken?(): H | undefined;
}

/** Learns that an object was collected. */
export interface CollectionListener {
  onCollected(): void;
}

/** Tells a grant that the hold of a seat was collected. There may be thousands: hence no closure. */
export class CollectedSeat<S> implements CollectionListener {
  constructor(
    private readonly grant: { onForgotten(hold: { readonly seat: S }): void },
    readonly seat: S,
  ) {}

  onCollected(): void {
    this.grant.onForgotten(this);
  }
}

/**
 * The place of a hold that its acquirer has to release. Once weakened it refers to the hold weakly, and the grant, which
 * the watchdog refers to, only to the place: a hold that nothing else refers to is collected, and can never be released.
 * Until the first round of the watchdog it is not weakened, since most holds end before, and a weak reference costs as
 * much as all else that a process does for a lock (docs/architecture.md#hot-path).
 */
export class WeakSeat<H extends object> implements Seat<H> {
  term = WITHOUT_END;
  private reference: WeakRef<H> | undefined = undefined;
  private isKept = false;

  constructor(
    private hold: H | undefined,
    readonly acquiredAt: string | undefined,
  ) {}

  get occupant(): H | undefined {
    return this.hold ?? this.reference?.deref();
  }

  /** Refers to the hold for good: code may have kept something else that depends on it. */
  keep(hold: H): void {
    this.hold = hold;
    this.isKept = true;
  }

  weaken(): H | undefined {
    const { hold } = this;
    if (!hold || this.isKept) return undefined;
    this.reference = new WeakRef(hold);
    this.hold = undefined;
    return hold;
  }
}
