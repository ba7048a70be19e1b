import { type Backoff, BackoffSequence } from './backoff.js';
import type { QueuedAcquirer } from './queued-acquirer.js';
import type { AcquireContext } from './wait-errors.js';
import type { Acquirer } from './acquirer.js';

/**
 * Waits by asking again and again, after pauses of its own, since nobody tells of a release. In this process only the
 * first in line asks.
 */
export class SpinAcquirer<Wanted, Got extends object> implements Acquirer<Wanted, Got> {
  /** @param line In which nobody listens. */
  constructor(
    private readonly line: QueuedAcquirer<Wanted, Got>,
    private readonly backoff: Backoff,
  ) {}

  /** The same line, in which those who come by this way pause otherwise. */
  with(backoff: Backoff): SpinAcquirer<Wanted, Got> {
    return new SpinAcquirer(this.line, backoff);
  }

  async acquire(asked: AcquireContext, wanted: Wanted): Promise<Got> {
    return this.line.acquire(asked, wanted, new BackoffSequence(this.backoff));
  }

  settled(): Promise<void> {
    return this.line.settled();
  }

  get contended(): number {
    return this.line.contended;
  }
}
