/** The place of a hold among those that its grant counts. */
export interface Seat<H> {
  /** The hold; `undefined` once it was collected. */
  readonly occupant: H | undefined;
  /** The line of code that acquired the hold, as far as it is known. */
  readonly acquiredAt?: string | undefined;
  /** Refers to the hold weakly from now on, and returns it if it did not before. Absent: it never does. */
  weaken?(): H | undefined;
}

/**
 * The place of a hold that its acquirer has to release. Once weakened it refers to the hold weakly, and the grant, which
 * the watchdog refers to, only to the place: a hold that nothing else refers to is collected, and can never be released.
 * Until the first round of the watchdog it is not weakened, since most holds end before, and a weak reference costs as
 * much as all else that a process does for a lock (docs/architecture.md#hot-path).
 */
export class WeakSeat<H extends object> implements Seat<H> {
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
