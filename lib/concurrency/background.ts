import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';

/** Work that goes on after its answer was given. */
export class Background {
  private readonly works = new Set<Promise<unknown>>();

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** @param work Must not reject. */
  add(work: Promise<unknown>): void {
    const noted = work.finally(() => this.works.delete(noted));
    this.works.add(noted);
  }

  /** Resolves when it is done, or after `ms`. */
  async finish(ms: number): Promise<void> {
    if (this.works.size > 0) await Promise.race([Promise.all(this.works), this.scheduler.pause(ms)]);
  }
}
