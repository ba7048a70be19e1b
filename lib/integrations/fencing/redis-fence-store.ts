import { scripts } from '../../backend/redis/scripts/scripts.generated.js';
import type { Duration } from '../../time/duration.js';
import { parseOptions } from '../../validation/options.js';
import { type FenceClient, runFenceScript } from './fence-client.js';
import type { FenceStore } from './fence-store.js';
import { parseFence, parseResource } from './fence-token.js';
import { parseEnd } from './set-if-fence.js';

export interface RedisFenceStoreOptions {
  /** How long a fence stays after the last request that had it: longer than any writer may be late. Default: for ever. */
  readonly keepFence?: Duration;
}

/** Stores the last fence of each resource in the key `fence:resource`, for receivers of several processes. */
export class RedisFenceStore implements FenceStore {
  private readonly keep: number;

  /**
   * @param client An ioredis `Redis` or `Cluster`; its `keyPrefix` applies.
   * @throws LockOptionsError
   */
  constructor(
    private readonly client: FenceClient,
    options?: RedisFenceStoreOptions,
  ) {
    this.keep = parseEnd(parseOptions(options, ['keepFence'], { of: 'RedisFenceStore' }).keepFence, 'keepFence');
  }

  async advance(resource: string, fence: bigint): Promise<bigint> {
    const key = `fence:${parseResource(resource)}`;
    const args = { token: String(parseFence(fence)), keep: this.keep };
    return runFenceScript(this.client, scripts.fencing.advance, { fence: key }, args);
  }
}
