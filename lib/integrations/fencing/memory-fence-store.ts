import type { FenceStore } from './fence-store.js';

/** Stores fences in the memory of this process, for a receiver that is one process, and for tests. It keeps them all. */
export class MemoryFenceStore implements FenceStore {
  private readonly fences = new Map<string, bigint>();

  async advance(resource: string, fence: bigint): Promise<bigint> {
    const last = this.fences.get(resource);
    if (last !== undefined && last > fence) return last;
    this.fences.set(resource, fence);
    return fence;
  }
}
