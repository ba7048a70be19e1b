import { isPassing } from '../../errors.js';
import type { ScheduledTask } from '../../time/scheduler.js';
import type { ServerOrder } from './server-order.js';
import type { FairWaiter, FairWaiting } from './fair-waiter.js';

/** The share of a slot after which all places are kept anew, and after which a keeping that failed is tried again. */
const KEEP = 1 / 3;
const KEEP_AGAIN = 1 / 10;

/** Places kept by one request: few enough to leave the server to others after a millisecond or two. */
const BATCH = 500;

/** Told what keeping places has shown. */
export interface HeartbeatListener {
  /** The server has forgotten the waiter, or took it for dead. */
  lost(waiter: FairWaiter): void;
  /** No later request can be expected to work. */
  failed(error: unknown): void;
}

/** Says every third of a slot that all who have a place in the queue of a fair lock still wait, batch after batch. */
export class QueueHeartbeat {
  private timer: ScheduledTask | undefined;
  private isRunning = false;

  constructor(
    private readonly name: string,
    private readonly waiting: FairWaiting,
    private readonly places: ServerOrder<FairWaiter>,
    private readonly found: HeartbeatListener,
  ) {}

  start(): void {
    this.isRunning = true;
    this.schedule(KEEP);
  }

  stop(): void {
    this.isRunning = false;
    this.timer?.cancel();
  }

  private schedule(share: number): void {
    const { scheduler, slot, underWay } = this.waiting;
    this.timer?.cancel();
    this.timer = scheduler.schedule(slot * share, () => void underWay.add(this.beat()));
  }

  private async beat(): Promise<void> {
    const all = this.places.all();
    let share = KEEP;
    try {
      for (let from = 0; from < all.length; from += BATCH) await this.beatBatch(all.slice(from, from + BATCH));
    } catch (error) {
      if (!isPassing(error)) this.found.failed(error);
      share = KEEP_AGAIN;
    }
    if (this.isRunning) this.schedule(share);
  }

  private async beatBatch(batch: readonly FairWaiter[]): Promise<void> {
    const { slot, locks } = this.waiting;
    // While others were kept, some may have got the lock, or have left.
    const places = batch.filter((waiter) => this.places.has(waiter));
    if (places.length === 0) return;
    const owners = places.map(({ owner }) => owner);
    const kept = await locks.keep({ name: this.name, owners, slot });
    const lost = places.filter(({ owner }, index) => !kept[index] && owner === owners[index]);
    for (const waiter of lost) this.found.lost(waiter);
  }
}
