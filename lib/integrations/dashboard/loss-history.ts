import type { ShownLoss } from './dashboard-snapshot.types.js';

const MOST_LOSSES = 50;

/** The latest losses of this process, the latest first. */
export class LossHistory {
  private losses: readonly ShownLoss[] = [];

  add(loss: ShownLoss): void {
    this.losses = [loss, ...this.losses].slice(0, MOST_LOSSES);
  }

  get shown(): readonly ShownLoss[] {
    return this.losses;
  }
}
