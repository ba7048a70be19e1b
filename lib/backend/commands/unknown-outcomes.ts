import type { OwnerId } from '../../context/owner-ids.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import { isUnknown } from './deadline-request.js';

/**
 * Deadlines until which commands of unknown outcome may still take effect. A renewal may be repeated at once, but no
 * command that contradicts it may be sent before then: the earlier one could overtake it.
 */
export class UnknownOutcomes {
  private readonly deadlines = new Map<OwnerId, number>();

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** @param deadline The instant from which the server refuses the command. */
  add(owners: Iterable<OwnerId>, deadline: number): void {
    this.forgetPast();
    for (const owner of owners) this.deadlines.set(owner, Math.max(deadline, this.deadlines.get(owner) ?? deadline));
  }

  /** Whether no earlier command of this owner can arrive any more. */
  isSettled(owner: OwnerId): boolean {
    return this.timeLeft(owner) <= 0;
  }

  /** Resolves when no earlier command of this owner can arrive any more. */
  async settled(owner: OwnerId): Promise<void> {
    // Another command of this owner may become unknown during the pause.
    for (let left = this.timeLeft(owner); left > 0; left = this.timeLeft(owner)) {
      await this.scheduler.pause(left, { keepAlive: true });
    }
  }

  /**
   * Rejects with the error of a command only once no command of its owner can arrive any more, so that none can arrive
   * after the next one.
   */
  async rejectOnceSettled(owner: OwnerId, deadline: number, error: unknown): Promise<never> {
    if (isUnknown(error)) this.add([owner], deadline);
    await this.settled(owner);
    throw error;
  }

  /** Milliseconds until the server refuses everything that is unknown of this owner. */
  private timeLeft(owner: OwnerId): number {
    return (this.deadlines.get(owner) ?? Number.NEGATIVE_INFINITY) - this.scheduler.now() + 1;
  }

  private forgetPast(): void {
    const now = this.scheduler.now();
    for (const [owner, deadline] of this.deadlines) if (deadline < now) this.deadlines.delete(owner);
  }
}
