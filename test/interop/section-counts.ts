/**
 * The number of sections of each participant, counted from the log that all of them wrote. Their names are such as
 * `node-1` and `java-3`.
 */
export class SectionCounts {
  private constructor(private readonly counts: ReadonlyMap<string, number>) {}

  static of(log: readonly string[]): SectionCounts {
    const counts = new Map<string, number>();
    for (const who of log) counts.set(who, (counts.get(who) ?? 0) + 1);
    return new SectionCounts(counts);
  }

  get total(): number {
    return this.sum(() => true);
  }

  /** One side's share of all sections, 0 … 1. */
  share(side: string): number {
    return this.sum((who) => who.startsWith(`${side}-`)) / Math.max(1, this.total);
  }

  toString(): string {
    const [node, java] = ['node', 'java'].map((side) => (this.share(side) * 100).toFixed(1));
    const each = [...this.counts].sort(([a], [b]) => a.localeCompare(b)).map(([who, count]) => `${who} ${count}`);
    return `Node ${node} %, Java ${java} % (${each.join(', ')})`;
  }

  private sum(counted: (who: string) => boolean): number {
    return [...this.counts].reduce((sum, [who, count]) => sum + (counted(who) ? count : 0), 0);
  }
}
