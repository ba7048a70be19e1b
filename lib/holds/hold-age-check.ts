import type { GrantHolds } from './grant-holds.js';

/** Age from which a hold without a limit is reported as long, ms. */
const LONG_HOLD_MS = 300_000;

/** A warning about a hold that the watchdog renews. */
export type HoldAgeWarning = 'max-hold-reached' | 'long-hold';

/** Detects, once each, that a hold has lasted very long, and that `maxHold` is reached. */
export class HoldAgeCheck {
  private isKnownAsOver = false;
  private isKnownAsLong = false;

  /**
   * @param maxHold Longest time for which the watchdog renews a hold, ms; may be `Infinity`.
   * @param lastRenewal Milliseconds before the end of `maxHold` from which there is no further renewal.
   */
  constructor(
    private readonly holds: GrantHolds,
    private readonly maxHold: number,
    private readonly lastRenewal: number,
  ) {}

  /**
   * Whether a round has found that `maxHold` is reached, and neither an extension nor the release of the watched hold
   * has changed that since.
   */
  get isOver(): boolean {
    return this.isKnownAsOver && this.holds.isWatched && this.hasLastRenewal;
  }

  /** Called in every round of the watchdog. */
  check(): HoldAgeWarning | undefined {
    const { holds, maxHold, hasLastRenewal } = this;
    if (!holds.isWatched) return undefined;
    const wasKnownAsOver = this.isKnownAsOver;
    this.isKnownAsOver = hasLastRenewal;
    if (hasLastRenewal) return wasKnownAsOver ? undefined : 'max-hold-reached';
    if (this.isKnownAsLong || maxHold !== Number.POSITIVE_INFINITY || holds.age < LONG_HOLD_MS) return undefined;
    this.isKnownAsLong = true;
    return 'long-hold';
  }

  /** Whether no further renewal is due, so that the hold will expire. */
  private get hasLastRenewal(): boolean {
    return this.holds.left <= this.lastRenewal;
  }
}
