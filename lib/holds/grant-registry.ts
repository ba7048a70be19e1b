import { LinkedList, type ListNode } from '../collections/linked-list.js';

/** All current grants. Each stays registered until the server has confirmed its release. */
export class GrantRegistry<G extends ListNode<G>> implements Iterable<G> {
  private readonly held = new LinkedList<G>();
  private readonly waiting = new Set<() => void>();

  get size(): number {
    return this.held.size;
  }

  add(grant: G): void {
    this.held.append(grant);
  }

  delete(grant: G): void {
    if (!this.held.delete(grant) || this.held.size > 0) return;
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  /** Resolves when nothing is held. */
  whenEmpty(): Promise<void> {
    if (this.held.size === 0) return Promise.resolve();
    return new Promise((resolve) => void this.waiting.add(resolve));
  }

  [Symbol.iterator](): Iterator<G> {
    return this.held[Symbol.iterator]();
  }
}
