import type { Rng } from '../../chaos/rng.js';

/** Delays of messages, ms. */
export interface DelayProfile {
  readonly usual: readonly [least: number, most: number];
  /** Probability and range of much longer delays. */
  readonly slow: { readonly chance: number; readonly range: readonly [least: number, most: number] };
}

/** Draws the delay of each message. */
export class Delays {
  constructor(
    private readonly rng: Rng,
    private readonly profile: DelayProfile,
  ) {}

  next(): number {
    const { usual, slow } = this.profile;
    return this.rng.chance(slow.chance) ? this.rng.between(...slow.range) : this.rng.between(...usual);
  }

  /** The longest delay of a message. */
  get longest(): number {
    const { usual, slow } = this.profile;
    return slow.chance > 0 ? Math.max(usual[1], slow.range[1]) : usual[1];
  }
}
