/** Members by score, and by their bytes if the scores are equal, as in Redis. */
export class SortedSet {
  private readonly scores = new Map<string, number>();
  /** `undefined`: to be sorted. */
  private order: string[] | undefined = [];

  get size(): number {
    return this.scores.size;
  }

  score(member: string): number | undefined {
    return this.scores.get(member);
  }

  set(member: string, score: number): void {
    const before = this.scores.get(member);
    this.scores.set(member, score);
    if (before === score || !this.order) return;
    const last = before === undefined ? this.order.at(-1) : undefined;
    // Most members come last: queues, deadlines.
    const isLast = this.order.length === 0 || (last !== undefined && this.compare(last, member) < 0);
    if (before === undefined && isLast) this.order.push(member);
    else this.order = undefined;
  }

  delete(member: string): boolean {
    if (!this.scores.delete(member)) return false;
    if (this.order?.[0] === member) this.order.shift();
    else this.order = undefined;
    return true;
  }

  /** All members in order. */
  get members(): readonly string[] {
    return (this.order ??= [...this.scores.keys()].toSorted((one, other) => this.compare(one, other)));
  }

  private compare(one: string, other: string): number {
    return (this.scores.get(one) ?? 0) - (this.scores.get(other) ?? 0) || (one < other ? -1 : 1);
  }
}
