/** Work that has begun, until it has ended. */
export class UnderWay {
  private readonly works = new Set<Promise<unknown>>();

  add<T>(work: Promise<T>): Promise<T> {
    const noted = work.finally(() => this.works.delete(noted));
    this.works.add(noted);
    return noted;
  }

  /** For work that has no promise of its own; what is returned ends it. */
  begin(): () => void {
    let end = (): void => {};
    void this.add(new Promise<void>((resolve) => (end = resolve)));
    return () => end();
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.works.size > 0) await Promise.allSettled(this.works);
  }
}
