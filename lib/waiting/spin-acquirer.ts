import { type Backoff, BackoffSequence } from './backoff.js';
import type { QueuedAcquirer } from './queued-acquirer.js';
import type { Acquirer, AcquireContext } from './acquirer.js';

/**
 * Waits by asking again and again, after pauses of its own, since nobody tells of a release. In this process only the
 * first in line asks.
 */
export class SpinAcquirer<Wanted, Got extends object> implements Acquirer<Wanted, Got> {
  /** @param queued In which nobody listens. */
  constructor(
    private readonly queued: QueuedAcquirer<Wanted, Got>,
    private readonly backoff: Backoff,
  ) {}

  /** The same line, in which those who come by this way pause otherwise. */
  with(backoff: Backoff): SpinAcquirer<Wanted, Got> {
    return new SpinAcquirer(this.queued, backoff);
  }

  async acquire(asked: AcquireContext, wanted: Wanted): Promise<Got> {
    return this.queued.acquire(asked, wanted, new BackoffSequence(this.backoff));
  }

  settled(): Promise<void> {
    return this.queued.settled();
  }

  get contended(): number {
    return this.queued.contended;
  }
}
