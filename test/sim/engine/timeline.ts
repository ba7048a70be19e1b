/** A readable record of one run: each action with its time and its subject. */
export class Timeline {
  private readonly lines: string[] = [];

  /** @param isKept Whether lines are kept. Otherwise they are not even built. */
  constructor(readonly isKept: boolean) {}

  /** @param what Called only if the line is kept. */
  note(at: number, who: string, what: () => string): void {
    if (this.isKept) this.lines.push(`${at.toFixed(3).padStart(11)}  ${who.padEnd(14)}  ${what()}`);
  }

  toString(): string {
    return this.lines.join('\n');
  }
}
