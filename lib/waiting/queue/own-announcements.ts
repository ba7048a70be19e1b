import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';

/** The longest delay with which our own announcement may arrive, ms. */
const MAX_DELAY_MS = 20;

/** Counts the announcements of our own releases that are still to arrive, to tell them from those of other clients. */
export class OwnAnnouncements {
  private expected = 0;
  private expectedUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** Called before a release whose announcement this client will receive. */
  expect(): void {
    this.dropLate();
    this.expected += 1;
    this.expectedUntil = this.scheduler.now() + MAX_DELAY_MS;
  }

  /** Called when earlier announcements can no longer arrive. */
  expectNone(): void {
    this.expected = 0;
  }

  /** Called when no client received the announcement that was expected last. */
  expectOneLess(): void {
    if (this.expected > 0) this.expected -= 1;
  }

  /** Called when an announcement arrives. Returns whose it is: that of our last release, an older one, or a peer's. */
  receive(): 'last' | 'older' | 'other' {
    this.dropLate();
    if (this.expected === 0) return 'other';
    this.expected -= 1;
    return this.expected === 0 ? 'last' : 'older';
  }

  private dropLate(): void {
    if (this.scheduler.now() >= this.expectedUntil) this.expectNone();
  }
}
