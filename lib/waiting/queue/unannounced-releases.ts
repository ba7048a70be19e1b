import type { OwnerId } from '../../context/owner-ids.js';
import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';
import type { WaitDependencies } from '../acquirer.js';
import type { Busy } from '../attempt-strategy.js';
import type { ReleaseListener, Releases } from './releases.js';

/** How long this process may go first, ms: the longest pause of the default backoff. */
const MAX_PREFERENCE_MS = 128;

/**
 * Releases that are not announced. After one of our own, the next waiter knows of it and asks at once; the release is
 * confirmed first, so other processes may find the lock free in between. After {@link MAX_PREFERENCE_MS} the next waiter
 * sleeps for its backoff as other processes do. Otherwise a process that always has waiters would never let go of the
 * lock.
 */
export class UnannouncedReleases implements Releases {
  readonly allowHandOver = false;
  readonly isYielding = false;
  readonly isListening = false;
  readonly pollInterval: number;
  private readonly scheduler: MonotonicScheduler;
  /** Time of the first of our releases since another process had the lock, ms. */
  private preferredSince: number | undefined;
  /** The owner of the last grant to this process. */
  private ownOwner: OwnerId | undefined;

  constructor(
    { scheduler, polling }: Pick<WaitDependencies, 'scheduler' | 'polling'>,
    private readonly listener: Pick<ReleaseListener, 'onOurTurn'>,
  ) {
    this.scheduler = scheduler;
    this.pollInterval = polling.unsubscribed;
  }

  afterRelease(): void {
    const now = this.scheduler.now();
    this.preferredSince ??= now;
    if (now - this.preferredSince <= MAX_PREFERENCE_MS) this.listener.onOurTurn();
    else this.preferredSince = undefined;
  }

  acquired(outcome: Busy | undefined): void {
    this.ownOwner = outcome?.holder;
  }

  foundBusy({ holder }: Busy): void {
    if (holder !== this.ownOwner) this.preferredSince = undefined;
  }

  listen(): void {}
  beforeRelease(): void {}
  passedOn(): void {}
  releaseWasSilent(): void {}
  yieldTo(): void {}
  cancelYield(): void {}
  close(): void {}
}
