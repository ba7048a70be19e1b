/** What a semaphore and a latch have in common: a number under a name that nobody owns. */
export interface CounterOperations {
  /**
   * Sets the number where there is none, and says so on the channel.
   * @param ttl Milliseconds after which it is gone again; absent: never.
   * @returns false where there is one, 0 included.
   */
  trySet(name: string, count: number, ttl?: number): Promise<boolean>;
  /** The number; 0 where there is none. */
  count(name: string): Promise<number>;
  /** Resolves with whether there was one. */
  delete(name: string): Promise<boolean>;
}
