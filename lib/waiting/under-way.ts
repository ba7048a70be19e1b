/** Work that has begun, until it has ended. */
export class UnderWay {
  private readonly works = new Set<Promise<unknown>>();

  add<T>(work: Promise<T>): Promise<T> {
    const noted = work.finally(() => this.works.delete(noted));
    this.works.add(noted);
    return noted;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.works.size > 0) await Promise.allSettled(this.works);
  }
}
