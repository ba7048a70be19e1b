import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';

/** Counts work that has begun and not ended. */
export class InFlight {
  private count = 0;
  private readonly waiting: (() => void)[] = [];

  get size(): number {
    return this.count;
  }

  add<T>(work: Promise<T>): Promise<T> {
    const end = this.begin();
    work.then(end, end);
    return work;
  }

  /** For work without a promise; the returned function ends it. */
  begin(): () => void {
    let hasEnded = false;
    this.enter();
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.leave();
    };
  }

  /** For work that is certain to call {@link leave} once, at its end. */
  enter(): void {
    this.count += 1;
  }

  leave(): void {
    this.count -= 1;
    if (this.count === 0) for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Resolves when nothing is in flight. */
  async settled(): Promise<void> {
    while (this.count > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}

/** Work that continues after its caller got the result. */
export class Background {
  private readonly works = new InFlight();

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** @param work Must not reject. */
  add(work: Promise<unknown>): void {
    void this.works.add(work);
  }

  /** Resolves when all work is done, or after `ms`. */
  async finish(ms: number): Promise<void> {
    if (this.works.size > 0) await Promise.race([this.works.settled(), this.scheduler.pause(ms)]);
  }
}
