import { type Acquired, LockAttempts } from '../lock-attempts.js';
import { FairLeaving } from './fair-leaving.js';
import { FairWaitQueue } from './fair-wait-queue.js';
import type { FairWaiting } from './fair-waiter.js';
import { tryOnce } from '../queued-acquirer.js';
import { refusal } from '../wait-errors.js';
import { type Acquirer, type AcquireContext } from '../acquirer.js';
import { InFlight } from '../../concurrency.js';

/** Acquires fair locks by one attempt, or by waiting in the queue that the server keeps for the name. */
export class FairAcquirer implements Acquirer<number, Acquired> {
  private readonly attempts: LockAttempts;
  private readonly waiting: FairWaiting;
  private readonly queues = new Map<string, FairWaitQueue>();

  constructor(waiting: Omit<FairWaiting, 'inFlight' | 'leaving'>) {
    const inFlight = new InFlight();
    this.waiting = { ...waiting, inFlight, leaving: new FairLeaving(waiting, inFlight) };
    this.attempts = new LockAttempts(waiting.locks, waiting.owners, waiting.events);
  }

  async acquire<T>(asked: AcquireContext, lease: number, admit: (acquired: Acquired) => T): Promise<T> {
    const { ended } = asked.limit;
    if (ended?.cause === 'aborted') throw refusal(asked, ended, undefined);
    const acquired = ended ? tryOnce(this.attempts, asked, lease) : this.queueFor(asked.name).enter(asked, lease);
    return admit(await acquired);
  }

  async settled(): Promise<void> {
    await Promise.all([this.attempts.settled(), this.waiting.inFlight.settled()]);
  }

  get contended(): number {
    return this.queues.size;
  }

  *waiters(): Generator<AcquireContext> {
    for (const { waiters } of this.queues.values()) for (const { context } of waiters.values()) yield context;
  }

  private queueFor(name: string): FairWaitQueue {
    let queue = this.queues.get(name);
    if (!queue) {
      const forget = (): void => void this.queues.delete(name);
      queue = new FairWaitQueue(name, this.waiting, forget);
      this.queues.set(name, queue);
    }
    return queue;
  }
}
