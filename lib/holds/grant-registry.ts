import { LinkedList, type ListNode } from '../collections/linked-list.js';

/** All current grants. Each stays registered until the server has confirmed its release. */
export class GrantRegistry<Grant extends ListNode<Grant>> implements Iterable<Grant> {
  private readonly held = new LinkedList<Grant>();
  private readonly waiting = new Set<() => void>();

  get size(): number {
    return this.held.size;
  }

  add(grant: Grant): void {
    this.held.append(grant);
  }

  delete(grant: Grant): void {
    if (!this.held.delete(grant) || this.held.size > 0) return;
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  /** Resolves when nothing is held. */
  whenEmpty(): Promise<void> {
    if (this.held.size === 0) return Promise.resolve();
    return new Promise((resolve) => void this.waiting.add(resolve));
  }

  [Symbol.iterator](): Iterator<Grant> {
    return this.held[Symbol.iterator]();
  }
}
