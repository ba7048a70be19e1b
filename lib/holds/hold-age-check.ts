import { lastRenewalWithin } from '../watchdog/renewal-schedules.js';
import type { GrantHolds } from './grant-holds.js';

/** Age from which a hold without a limit is reported as long, ms. */
const LONG_HOLD_MS = 300_000;

/** A warning about a hold that the watchdog renews. */
export type HoldAgeWarning = 'max-hold-reached' | 'long-hold';

/** Detects, once each, that a hold has lasted very long, and that `maxHold` is reached. */
export class HoldAgeCheck {
  private isKnownAsOver = false;
  private isKnownAsLong = false;

  constructor(private readonly holds: Pick<GrantHolds, 'isWatched' | 'left' | 'age' | 'limit' | 'renewedLease'>) {}

  /**
   * Whether a round has found that `maxHold` is reached, and neither an extension nor the release of the watched hold
   * has changed that since.
   */
  get isOver(): boolean {
    return this.isKnownAsOver && this.holds.isWatched && this.hasLastRenewal;
  }

  /** Called in every round of the watchdog. */
  check(): HoldAgeWarning | undefined {
    const { holds, hasLastRenewal } = this;
    if (!holds.isWatched) return undefined;
    const wasKnownAsOver = this.isKnownAsOver;
    this.isKnownAsOver = hasLastRenewal;
    if (hasLastRenewal) return wasKnownAsOver ? undefined : 'max-hold-reached';
    if (this.isKnownAsLong || holds.limit !== Number.POSITIVE_INFINITY || holds.age < LONG_HOLD_MS) return undefined;
    this.isKnownAsLong = true;
    return 'long-hold';
  }

  /** Whether no further renewal is due, so that the hold will expire. */
  private get hasLastRenewal(): boolean {
    return this.holds.left <= lastRenewalWithin(this.holds.renewedLease);
  }
}
