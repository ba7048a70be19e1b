import { isPassing } from '../../../errors.js';
import type { OwnerId } from '../../../context/owner-ids.js';
import type { MonotonicScheduler } from '../../../time/scheduler.js';
import type { HoldOutcome, HoldRequest, LeaveBehindRequest, ReleaseRequest } from '../../lock-operations.js';
import { sendAgain } from '../../commands/send-again.js';
import { OrphanReleaser } from '../../commands/orphan-releaser.js';

/** A lock that its owner has left, for the server to keep until an instant of the scheduler. */
interface Left extends ReleaseRequest {
  readonly until: number;
  /** Every earlier command has settled: see {@link OrphanReleaser}. */
  readonly notAfter: 0;
}

/** The commands that leave a lock behind; neither retries in the background. */
interface Commands {
  hold(request: HoldRequest): Promise<HoldOutcome>;
  release(request: ReleaseRequest): Promise<unknown>;
}

/**
 * Leaves locks behind, which stay held for some time after their owner has let go. The command may be executed twice:
 * it contains how long the lock is to last, not how much longer. It is repeated once after a passing failure, and then
 * in the background until the server has answered or has dropped the lock.
 */
export class LeftBehind {
  private readonly background: OrphanReleaser<Left>;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly commands: Commands,
  ) {
    this.background = new OrphanReleaser(scheduler, async (left) => {
      // Without an answer the server may keep the lock for longer than requested.
      if (this.keepOf(left) > 0) await this.tryToKeep(left);
      else await this.commands.release(left);
      return Number.POSITIVE_INFINITY;
    });
  }

  /**
   * @returns Whether the owner still had the lock.
   * @throws LockUnavailableError if two attempts failed; if a later one may succeed, attempts go on in the background.
   */
  leave({ keep, ...request }: LeaveBehindRequest): Promise<boolean> {
    const left: Left = { ...request, until: this.scheduler.now() + keep, notAfter: 0 };
    const attempt = (): Promise<boolean> => this.tryToKeep(left);
    const goOn = (error: unknown): void => {
      if (isPassing(error)) this.background.releaseInBackground(left);
    };
    return attempt().catch((error: unknown) => sendAgain(error, attempt, goOn));
  }

  /** Lets the owner acquire again. Resolves when no command about its left lock is in flight. */
  abandon(owner: OwnerId): Promise<void> {
    return this.background.abandon((left) => left.owner === owner);
  }

  /** Resolves when the server knows of every lock that was left, or after `ms`. */
  finish(ms: number): Promise<void> {
    return this.background.finish(ms);
  }

  private async tryToKeep(left: Left): Promise<boolean> {
    const { name, owner, silent } = left;
    const lease = Math.max(1, this.keepOf(left));
    return (await this.commands.hold({ name, owner, count: 1, lease, silent, isLeft: true })).outcome === 'held';
  }

  /** Milliseconds, rounded up: Redis takes whole ones. */
  private keepOf({ until }: Left): number {
    return Math.ceil(until - this.scheduler.now());
  }
}
