import { isPassing } from '../../errors.js';
import { runOutsideRegions } from '../../scope/current-region.js';
import type { OwnerId } from '../../scope/owner.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';

const RETRY_MS = 100;

/** An acquisition that may exist although nobody wants it, or never knew of it. */
export interface Ghost {
  readonly name: string;
  readonly owner: OwnerId;
  readonly lease: number;
  /** The last instant of the server's clock at which the acquisition could still take effect. */
  readonly notAfter: number;
}

/** What the undoing itself has to know, whatever it is that was acquired. */
type Undoable = Pick<Ghost, 'lease' | 'notAfter'>;

/** Frees what the ghost's owner holds; resolves with the server's time at which that was certain. */
export type FreeGhost<G extends Undoable = Ghost> = (ghost: G) => Promise<number>;

/**
 * Undoes acquisitions with an unknown outcome. A time-out does not cancel a command: it may run later, and a release
 * sent after it can arrive before it. So each is released again and again until one release is confirmed after the
 * instant from which the server refuses the acquisition, or until its lease must be over.
 */
export class Undoing<G extends Undoable = Ghost> {
  private readonly running = new Map<G, Promise<void>>();
  private readonly abandoned = new WeakSet<G>();
  private finished = false;

  constructor(
    private readonly scheduler: SteadyScheduler,
    private readonly free: FreeGhost<G>,
  ) {}

  undo(ghost: G): void {
    if (this.finished) return;
    const task = runOutsideRegions(() => this.untilGone(ghost)).finally(() => this.running.delete(ghost));
    this.running.set(ghost, task);
  }

  /** Leaves what was acquired to who wants it after all. Resolves when no try to free it is on its way. */
  async abandon(isWanted: (ghost: G) => boolean): Promise<void> {
    const wanted = [...this.running].filter(([ghost]) => isWanted(ghost));
    for (const [ghost] of wanted) this.abandoned.add(ghost);
    await Promise.all(wanted.map(([, task]) => task));
  }

  /** Resolves when everything is undone, or after `ms`; what is left then ends by its lease. */
  async finish(ms: number): Promise<void> {
    if (this.running.size > 0) await Promise.race([Promise.all(this.running.values()), this.scheduler.pause(ms)]);
    this.finished = true;
  }

  private async untilGone(ghost: G): Promise<void> {
    // It may still begin, within the deadline of its command, and then lasts for its lease.
    const over = this.scheduler.now() + 1.25 * ghost.lease + RETRY_MS;
    while (this.scheduler.now() < over && !this.finished && !this.abandoned.has(ghost)) {
      const confirmed = await this.tryToFree(ghost);
      if (confirmed > ghost.notAfter) return;
      // Bounded, since the server's clock may have been set back.
      await this.scheduler.pause(Math.min(RETRY_MS, ghost.notAfter - confirmed + 1));
    }
  }

  /** The server's time at which nothing was held; before everything where that is not known, after where it never will be. */
  private async tryToFree(ghost: G): Promise<number> {
    try {
      return await this.free(ghost);
    } catch (error) {
      return isPassing(error) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    }
  }
}
