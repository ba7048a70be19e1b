import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';
import { pauseUnanswered } from '../pause-after.js';
import type { FairWaiter } from './fair-waiter.js';

/** The queue as {@link Arrivals} needs it. */
interface Admitting {
  /** Whether the waiter still waits, and has no place. */
  isToArrive(waiter: FairWaiter): boolean;
  attempt(waiter: FairWaiter): Promise<void>;
  /** The number of attempts in a row that were not answered. */
  unanswered(): number;
  failed(error: unknown): void;
}

/** The waiters of one process without a place in the queue of a fair lock, in order of arrival. */
export class Arrivals {
  private readonly arriving = new Set<FairWaiter>();
  private isAdmitting = false;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly queue: Admitting,
  ) {}

  /** The one that attempts. */
  get first(): FairWaiter | undefined {
    return this.arriving.values().next().value;
  }

  arrive(waiter: FairWaiter): void {
    if (!this.queue.isToArrive(waiter)) return;
    this.arriving.add(waiter);
    if (this.isAdmitting) return;
    this.isAdmitting = true;
    this.admit().catch((error: unknown) => this.queue.failed(error));
  }

  /**
   * Tries for one waiter after the other until each has a place or the lock. Concurrent attempts would overtake each
   * other if replies are late or lost. One at a time is still as fast as the lock itself changes hands.
   */
  private async admit(): Promise<void> {
    const { queue, scheduler } = this;
    for (const waiter of this.arriving) {
      while (queue.isToArrive(waiter)) {
        await queue.attempt(waiter);
        if (queue.isToArrive(waiter)) await scheduler.pause(pauseUnanswered(queue.unanswered()), { keepAlive: true });
      }
      this.arriving.delete(waiter);
    }
    this.isAdmitting = false;
  }
}
