import { runOutsideContexts } from '../../context/owner-context.js';
import type { ScheduledTask, Scheduler } from '../../time/scheduler.js';
import type { DashboardSnapshot } from './dashboard-snapshot.types.js';
import type { EventStream } from './event-stream.js';

/** Looks take at most this part of the time, so that a large Redis is not searched without a break. */
const SHARE_OF_TIME = 0.1;

/** The most pages that one process serves. */
const MOST_STREAMS = 100;

/** Shares each look at the locks between all open pages. Without a page there are no looks. */
export class LiveFeed {
  private readonly streams = new Set<EventStream>();
  private looking: Promise<DashboardSnapshot> | undefined;
  private next: ScheduledTask | undefined;
  /** When the next look may begin, on the clock. */
  private restsUntil = Number.NEGATIVE_INFINITY;
  private endRest: (() => void) | undefined;
  private isClosed = false;

  /**
   * @param take Never rejects.
   * @param interval Time between two looks, ms.
   */
  constructor(
    private readonly take: () => Promise<DashboardSnapshot>,
    private readonly interval: number,
    private readonly clock: Scheduler,
  ) {}

  /** Whether there is room for another page. */
  get isOpen(): boolean {
    return !this.isClosed && this.streams.size < MOST_STREAMS;
  }

  add(stream: EventStream): void {
    this.streams.add(stream);
    // A pause is cut short: a new page should not wait for its first state.
    this.next?.cancel();
    this.next = undefined;
    void this.run();
  }

  remove(stream: EventStream): void {
    this.streams.delete(stream);
  }

  /** The state now: that of a look that is under way, or of the next one. All who ask share it. */
  snapshot(): Promise<DashboardSnapshot> {
    this.looking ??= this.look();
    return this.looking;
  }

  /** Ends all streams: the server waits for open responses before it closes. */
  close(): void {
    this.isClosed = true;
    this.next?.cancel();
    this.endRest?.();
    for (const stream of this.streams) stream.close();
    this.streams.clear();
  }

  private async look(): Promise<DashboardSnapshot> {
    await this.rest();
    const started = this.clock.now();
    try {
      // The request that is first must not lend its context to the others.
      return await runOutsideContexts(this.take);
    } finally {
      this.looking = undefined;
      const ended = this.clock.now();
      this.restsUntil = ended + (ended - started) * (1 / SHARE_OF_TIME - 1);
    }
  }

  private async rest(): Promise<void> {
    const left = this.restsUntil - this.clock.now();
    if (left <= 0 || this.isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = runOutsideContexts(() => this.clock.schedule(left, resolve));
      this.endRest = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  private async run(): Promise<void> {
    const snapshot = await this.snapshot();
    const data = JSON.stringify(snapshot);
    for (const stream of this.streams) stream.send('snapshot', data);
    if (this.isClosed || this.streams.size === 0 || this.next) return;
    this.next = runOutsideContexts(() =>
      this.clock.schedule(this.interval, () => {
        this.next = undefined;
        void this.run();
      }),
    );
  }
}
