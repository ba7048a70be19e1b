/**
 * Waiters that have a place, in the order of the server. The head is stored: finding it in a Set would step over all
 * entries deleted before it.
 */
export class ServerOrder<Waiter> {
  private inOrder = new Set<Waiter>();
  /** Iterator behind the head. It also reaches entries added later. */
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

  /** Appends the waiter unless it has a place already. */
  add(waiter: Waiter): void {
    this.inOrder.add(waiter);
    if (this.front === undefined) this.resetHead();
  }

  delete(waiter: Waiter): void {
    this.inOrder.delete(waiter);
    if (this.front === waiter) this.front = this.following.next().value;
  }

  /** Copies all entries: only for when the server's order turns out to differ. */
  putFirst(waiter: Waiter): void {
    this.inOrder = new Set([waiter, ...this.inOrder]);
    this.resetHead();
  }

  private resetHead(): void {
    this.following = this.inOrder.values();
    this.front = this.following.next().value;
  }
}
