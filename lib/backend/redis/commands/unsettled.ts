import type { OwnerId } from '../../../context/ids.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';

/**
 * Until when renewals of unknown outcome may still take effect. They may be repeated at once, but nothing that says
 * otherwise may be sent before then: it could be overtaken.
 */
export class UnknownOutcomes {
  private readonly deadlines = new Map<OwnerId, number>();

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** @param deadline The instant from which the server refuses the renewal. */
  add(owners: Iterable<OwnerId>, deadline: number): void {
    this.forgetPast();
    for (const owner of owners) this.deadlines.set(owner, Math.max(deadline, this.deadlines.get(owner) ?? deadline));
  }

  /** Resolves when nothing of this owner can arrive any more. */
  async settled(owner: OwnerId): Promise<void> {
    const deadline = this.deadlines.get(owner);
    if (deadline === undefined) return;
    await this.scheduler.pause(deadline - this.scheduler.now() + 1, { keepAlive: true });
  }

  private forgetPast(): void {
    const now = this.scheduler.now();
    for (const [owner, deadline] of this.deadlines) if (deadline < now) this.deadlines.delete(owner);
  }
}
