/** Stores the last fence of each resource. */
export interface FenceStore {
  /**
   * Records the fence of a resource unless a later one is recorded, in one atomic step.
   * @returns The fence recorded now: this one, or the later one.
   */
  advance(resource: string, fence: bigint): Promise<bigint>;
}
