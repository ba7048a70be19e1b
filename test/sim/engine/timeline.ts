/** A readable account of one run: each action with its actor and its time. Kept only if it is to be read. */
export class Timeline {
  private readonly lines: string[] = [];

  /** @param isKept Whether lines are kept; otherwise they are not even made. */
  constructor(readonly isKept: boolean) {}

  /** @param what Called only where the line is kept. */
  note(at: number, who: string, what: () => string): void {
    if (this.isKept) this.lines.push(`${at.toFixed(3).padStart(11)}  ${who.padEnd(14)}  ${what()}`);
  }

  toString(): string {
    return this.lines.join('\n');
  }
}
