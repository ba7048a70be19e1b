import type { Rng } from '../../chaos/rng.js';

/** How long messages are under way, ms. */
export interface DelayProfile {
  readonly usual: readonly [least: number, most: number];
  /** How often a message takes much longer, and how long then. */
  readonly slow: { readonly chance: number; readonly range: readonly [least: number, most: number] };
}

/** Draws the time that each message is under way. */
export class Delays {
  constructor(
    private readonly rng: Rng,
    private readonly profile: DelayProfile,
  ) {}

  next(): number {
    const { usual, slow } = this.profile;
    return this.rng.chance(slow.chance) ? this.rng.between(...slow.range) : this.rng.between(...usual);
  }

  /** The longest that a message can be under way. */
  get longest(): number {
    const { usual, slow } = this.profile;
    return slow.chance > 0 ? Math.max(usual[1], slow.range[1]) : usual[1];
  }
}
