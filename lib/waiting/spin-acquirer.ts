import { type Backoff, Pace } from './backoff.js';
import type { Line } from './queued-acquirer.js';
import type { Asked } from './wait-errors.js';
import type { Acquisitions } from './acquirer.js';

/**
 * Waits by asking again and again, after pauses of its own, since nobody tells of a release. In this process only the
 * first in line asks.
 */
export class Spin<Wanted, Got extends object> implements Acquisitions<Wanted, Got> {
  /** @param line In which nobody listens. */
  constructor(
    private readonly line: Line<Wanted, Got>,
    private readonly backoff: Backoff,
  ) {}

  /** The same line, in which those who come by this way pause otherwise. */
  with(backoff: Backoff): Spin<Wanted, Got> {
    return new Spin(this.line, backoff);
  }

  async acquire(asked: Asked, wanted: Wanted): Promise<Got> {
    return this.line.acquire(asked, wanted, new Pace(this.backoff));
  }

  settled(): Promise<void> {
    return this.line.settled();
  }

  get contended(): number {
    return this.line.contended;
  }
}
