/**
 * Those who have a place, in the order of the server. The first is known: to look for it, a Set would step over all who
 * were before it.
 */
export class ServerOrder<Waiter> {
  private inOrder = new Set<Waiter>();
  /** Goes on to whoever is behind the first, also where they came later. */
  private following = this.inOrder.values();
  private front: Waiter | undefined;

  get head(): Waiter | undefined {
    return this.front;
  }

  has(waiter: Waiter): boolean {
    return this.inOrder.has(waiter);
  }

  all(): Waiter[] {
    return [...this.inOrder];
  }

  /** At the end, where it has no place yet. */
  add(waiter: Waiter): void {
    this.inOrder.add(waiter);
    if (this.front === undefined) this.resetHead();
  }

  delete(waiter: Waiter): void {
    this.inOrder.delete(waiter);
    if (this.front === waiter) this.front = this.following.next().value;
  }

  /** Reads all of them: for when the order turned out to be another. */
  putFirst(waiter: Waiter): void {
    this.inOrder = new Set([waiter, ...this.inOrder]);
    this.resetHead();
  }

  private resetHead(): void {
    this.following = this.inOrder.values();
    this.front = this.following.next().value;
  }
}
