import { type Backoff, BackoffSequence } from './backoff.js';
import type { QueuedAcquirer } from './queued-acquirer.js';
import type { Acquirer, AcquireContext } from './acquirer.js';

/**
 * Waits by polling with a backoff, since releases are not announced. Only the first waiter of this process asks the
 * server.
 */
export class SpinAcquirer<Wanted, Got extends object> implements Acquirer<Wanted, Got> {
  /** @param queued Must have no channel. */
  constructor(
    private readonly queued: QueuedAcquirer<Wanted, Got>,
    private readonly backoff: Backoff,
  ) {}

  /** Uses the same wait queues with another backoff for its callers. */
  with(backoff: Backoff): SpinAcquirer<Wanted, Got> {
    return new SpinAcquirer(this.queued, backoff);
  }

  async acquire<T>(asked: AcquireContext, wanted: Wanted, admit: (got: Got) => T): Promise<T> {
    return this.queued.acquire(asked, wanted, admit, new BackoffSequence(this.backoff));
  }

  settled(): Promise<void> {
    return this.queued.settled();
  }

  get contended(): number {
    return this.queued.contended;
  }

  waiters(): Iterable<AcquireContext> {
    return this.queued.waiters();
  }
}
