import type { OwnerId } from '../../context/ids.js';

/**
 * What an owner asks of one node happens there in the order it was asked, also where nobody waited for the node's
 * answer: a quorum of the others had answered.
 */
export class PerOwnerQueue {
  private readonly last = new Map<OwnerId, Promise<unknown>>();

  /** Begins `work` when everything has settled that these owners asked before. */
  run<T>(owners: readonly OwnerId[], work: () => Promise<T>): Promise<T> {
    const before = owners.flatMap((owner) => this.last.get(owner) ?? []);
    const running = before.length === 0 ? work() : Promise.allSettled(before).then(work);
    for (const owner of owners) this.last.set(owner, running);
    const forget = (): void => {
      for (const owner of owners) if (this.last.get(owner) === running) this.last.delete(owner);
    };
    running.then(forget, forget);
    return running;
  }
}
