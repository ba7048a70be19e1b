import { Heartbeat } from '../heartbeat.js';
import type { FairWaiter, FairWaiting } from './fair-waiter.js';

/**
 * Waiters that have a place, in the order of the server. The head is stored: finding it in a Set would step over all
 * entries deleted before it.
 */
export class ServerOrder<Waiter> {
  private inOrder = new Set<Waiter>();
  /** Iterator behind the head. It also reaches entries added later. */
  private following = this.inOrder.values();
  private front: Waiter | undefined;

  get head(): Waiter | undefined {
    return this.front;
  }

  has(waiter: Waiter): boolean {
    return this.inOrder.has(waiter);
  }

  all(): Waiter[] {
    return [...this.inOrder];
  }

  /** Appends the waiter unless it has a place already. */
  add(waiter: Waiter): void {
    this.inOrder.add(waiter);
    if (this.front === undefined) this.resetHead();
  }

  delete(waiter: Waiter): void {
    this.inOrder.delete(waiter);
    if (this.front === waiter) this.front = this.following.next().value;
  }

  /** Copies all entries: only for when the server's order turns out to differ. */
  putFirst(waiter: Waiter): void {
    this.inOrder = new Set([waiter, ...this.inOrder]);
    this.resetHead();
  }

  private resetHead(): void {
    this.following = this.inOrder.values();
    this.front = this.following.next().value;
  }
}

/** Places kept alive by one request: few enough to block the server for a millisecond or two at most. */
const MAX_BATCH = 500;

/** Receives the results of heartbeats. */
interface HeartbeatListener {
  /** The server no longer has a place for the waiter, for example after it let the place expire. */
  lost(waiter: FairWaiter): void;
  /** The request failed for good; later ones would fail, too. */
  failed(error: unknown): void;
}

/** Keeps all places of one fair lock alive: every third of a slot, one request per batch. */
export class QueueHeartbeat {
  private readonly heartbeat: Heartbeat;

  constructor(
    private readonly name: string,
    private readonly waiting: FairWaiting,
    private readonly places: ServerOrder<FairWaiter>,
    private readonly listener: HeartbeatListener,
  ) {
    this.heartbeat = new Heartbeat(
      waiting,
      () => this.beat(),
      (error) => listener.failed(error),
    );
  }

  start(): void {
    this.heartbeat.start();
  }

  stop(): void {
    this.heartbeat.stop();
  }

  private async beat(): Promise<void> {
    const all = this.places.all();
    for (let from = 0; from < all.length; from += MAX_BATCH) await this.beatBatch(all.slice(from, from + MAX_BATCH));
  }

  private async beatBatch(batch: readonly FairWaiter[]): Promise<void> {
    const { slot, locks } = this.waiting;
    // During the earlier batches, some waiters may have acquired the lock or left.
    const places = batch.filter((waiter) => this.places.has(waiter));
    if (places.length === 0) return;
    const owners = places.map(({ owner }) => owner);
    const exists = await locks.keep({ name: this.name, owners, slot });
    const lost = places.filter(({ owner }, index) => !exists[index] && owner === owners[index]);
    for (const waiter of lost) this.listener.lost(waiter);
  }
}
