import type { GrantHolds } from './grant-holds.js';

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
