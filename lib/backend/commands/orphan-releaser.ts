import { isPassing } from '../../errors.js';
import { runOutsideContexts } from '../../context/owner-context.js';
import type { OwnerId } from '../../context/owner-ids.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';

/** Pause between two attempts, ms: the shortest, and the longest after many failures. */
const RETRY_MS = 100;
const LONGEST_RETRY_MS = 1000;
/** The pause as a share of the time that attempts have been failing for. */
const RETRY_SHARE = 0.1;

/** An acquisition that may exist although no caller knows of it or wants it. */
export interface OrphanedAcquisition {
  readonly name: string;
  readonly owner: OwnerId;
  readonly lease: number;
  /** Whether the release is not announced. */
  readonly silent?: boolean | undefined;
  /** The last instant of the server's clock at which the acquisition could still take effect. */
  readonly notAfter: number;
}

/** The fields that releasing needs, whatever was acquired. */
type Orphan = Pick<OrphanedAcquisition, 'lease' | 'notAfter'>;

/** Releases what the orphan's owner holds. Resolves with the server's time at which that was certain. */
type ReleaseOrphan<G extends Orphan = OrphanedAcquisition> = (orphan: G) => Promise<number>;

/** Called with an orphan that may never be released, and why that is unknown: the error of the last attempt, or before. */
type OnAbandoned<G> = (orphan: G, error: unknown) => void;

/** The background release of one orphan. */
interface BackgroundRelease {
  /** Why the acquisition is an orphan. */
  readonly cause: unknown;
  /** The error of the last attempt; the cause if there was none. */
  error: unknown;
  isAbandoned: boolean;
  /** Ends a pause. */
  wake(): void;
  /** Resolves when the background release has ended. */
  over: Promise<void>;
}

/**
 * Releases acquisitions with an unknown outcome. A time-out does not cancel a command: it may run later, and a release
 * sent after it can arrive before it. So each one is released repeatedly, until one release is confirmed after the
 * instant from which the server refuses the acquisition, or until its lease must be over.
 */
export class OrphanReleaser<G extends Orphan = OrphanedAcquisition> {
  private readonly running = new Map<G, BackgroundRelease>();
  private finished = false;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly releaseOrphan: ReleaseOrphan<G>,
    private readonly onGivenUp: OnAbandoned<G> = () => {},
  ) {}

  /** @param cause Why it is unknown whether the orphan exists, to be reported if no attempt to release it fails. */
  releaseInBackground(orphan: G, cause?: unknown): void {
    if (this.finished) return this.onGivenUp(orphan, cause);
    const over = Promise.resolve();
    const release: BackgroundRelease = { cause, error: cause, isAbandoned: false, wake: () => {}, over };
    this.running.set(orphan, release);
    const ended = (isReleased: boolean): void => {
      if (isReleased) this.running.delete(orphan);
      else this.stopTrying(orphan, release);
    };
    release.over = runOutsideContexts(() => this.releaseUntilConfirmed(orphan, release).then(ended));
  }

  /** Stops releasing acquisitions that are wanted after all. Resolves when no attempt to release them is in flight. */
  async abandon(isWanted: (orphan: G) => boolean): Promise<void> {
    const wanted = [...this.running].filter(([orphan]) => isWanted(orphan)).map(([, release]) => release);
    for (const release of wanted) {
      release.isAbandoned = true;
      release.wake();
    }
    await Promise.all(wanted.map(({ over }) => over));
  }

  /** Resolves when everything is released, or after `ms`. What is left then ends by its lease, if it has one. */
  async finish(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.scheduler.schedule(ms, resolve);
      void this.whenAllReleased().then(() => {
        timer.cancel();
        resolve();
      });
    });
    this.finished = true;
    for (const [orphan, release] of this.running) {
      this.stopTrying(orphan, release);
      release.wake();
    }
  }

  /** Waits for releases that begin meanwhile as well. */
  private async whenAllReleased(): Promise<void> {
    while (this.running.size > 0 && !this.finished) {
      const releases = [...this.running.values()];
      // There may be no time for another attempt.
      for (const release of releases) release.wake();
      await Promise.all(releases.map(({ over }) => over));
    }
  }

  /** Resolves with whether the release was confirmed. */
  private async releaseUntilConfirmed(orphan: G, release: BackgroundRelease): Promise<boolean> {
    const begin = this.scheduler.now();
    // The acquisition may still take effect within the deadline of its command, and then lasts for its lease.
    const end = begin + 1.25 * orphan.lease + RETRY_MS;
    while (this.scheduler.now() < end && !this.finished && !release.isAbandoned) {
      const confirmed = await this.tryRelease(orphan, release);
      if (confirmed === undefined) return false;
      if (confirmed > orphan.notAfter) return true;
      const inVain = (this.scheduler.now() - begin) * RETRY_SHARE;
      const pause = Math.min(LONGEST_RETRY_MS, Math.max(RETRY_MS, inVain));
      // Bounded, since the server's clock may have been set back.
      await this.pause(Math.min(pause, orphan.notAfter - confirmed + 1), release);
    }
    return false;
  }

  /**
   * Resolves with the server's time at which nothing was held: negative infinity after a passing failure, `undefined`
   * if no attempt can succeed.
   */
  private async tryRelease(orphan: G, release: BackgroundRelease): Promise<number | undefined> {
    try {
      const confirmed = await this.releaseOrphan(orphan);
      release.error = release.cause;
      return confirmed;
    } catch (error) {
      release.error = error;
      return isPassing(error) ? Number.NEGATIVE_INFINITY : undefined;
    }
  }

  private stopTrying(orphan: G, { isAbandoned, error }: BackgroundRelease): void {
    if (this.running.delete(orphan) && !isAbandoned) this.onGivenUp(orphan, error);
  }

  private pause(ms: number, release: BackgroundRelease): Promise<void> {
    if (release.isAbandoned || this.finished) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.scheduler.schedule(ms, resolve);
      release.wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
