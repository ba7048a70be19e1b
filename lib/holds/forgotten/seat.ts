/** The place of a hold among those that its grant counts. */
export interface Seat<H> {
  /** The hold; `undefined` once it was collected. */
  readonly occupant: H | undefined;
  /** The line of code that acquired the hold, as far as it is known. */
  readonly acquiredAt?: string | undefined;
}

/**
 * The place of a hold that its acquirer has to release. It refers to the hold weakly, and the grant, which the watchdog
 * refers to, only to the place: a hold that nothing else refers to is collected, and can never be released.
 */
export class WeakSeat<H extends object> implements Seat<H> {
  private readonly reference: WeakRef<H>;
  private kept: H | undefined;

  constructor(
    hold: H,
    readonly acquiredAt: string | undefined,
  ) {
    this.reference = new WeakRef(hold);
  }

  get occupant(): H | undefined {
    return this.kept ?? this.reference.deref();
  }

  /** Refers to the hold from now on: code may have kept something else that depends on it. */
  keep(hold: H): void {
    this.kept = hold;
  }
}
