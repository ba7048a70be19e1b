import type { FenceStore } from './fence-store.js';
import { scripts } from '../../backend/scripts/scripts.generated.js';
import { LockNameError, StaleFenceError } from '../../errors.js';
import { spellingFault } from '../../keys/lock-name.js';
import { type Duration, MAX_DURATION, parseDuration } from '../../time/duration.js';
import { formatValue } from '../../validation/format-value.js';
import { invalidOption, namesOf, parseOptions } from '../../validation/options.js';
import { type FenceClient, runFenceScript } from './fence-client.js';
import { parseFence, parseResource } from './fence-token.js';

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

export interface SetIfFenceOptions {
  /** How long the value stays. Default: until it is overwritten. */
  readonly ttl?: Duration;
  /**
   * How long the fence stays after the last write: longer than any writer may be late. Default: for ever, also when the
   * value has ended.
   */
  readonly keepFence?: Duration;
}

const OPTIONS = namesOf<SetIfFenceOptions>()('ttl', 'keepFence');

/** Milliseconds; 0: without end. */
const parseEnd = (value: unknown, option: string): number =>
  value === undefined ? 0 : parseDuration(value, option, { min: 1, max: MAX_DURATION });

/**
 * Sets the text of a Redis key, unless a later holder of the lock has set it, in one atomic step. The fence of the last
 * write is in the key `{key}:fence`, or `key:fence` if `key` has a hash tag of its own: in the same cluster slot. With
 * a `keyPrefix` of the client that is `prefix{prefixkey}:fence`. Other writers of the key have to use `setIfFence` too.
 * Of several writes with one fence the last to arrive counts.
 *
 * @param client A client of one server, or of a cluster.
 * @throws StaleFenceError if a later holder has set the key; nothing was changed.
 * @throws LockKeyTypeError, LockOptionsError, LockNameError, and the errors of the client
 *
 * @example
 * await setIfFence(redis, `report:${month}`, JSON.stringify(report), hold.fence, { ttl: '1h' });
 */
export const setIfFence = async (
  client: FenceClient,
  key: string,
  text: string,
  fence: bigint,
  options?: SetIfFenceOptions,
): Promise<void> => {
  const token = parseFence(fence);
  if (typeof text !== 'string') throw invalidOption('text', text, 'a string');
  const { ttl, keepFence } = parseOptions(options, OPTIONS, { of: 'setIfFence' });
  const last = await runFenceScript(
    client,
    scripts.fencing.set,
    { value: key, fence: fenceKeyOf(key, client.options.keyPrefix ?? '') },
    { token: String(token), keep: parseEnd(keepFence, 'keepFence'), text, ttl: parseEnd(ttl, 'ttl') },
  );
  if (last > token) throw new StaleFenceError(key, token, last);
};

/** In the slot of the key, though the client writes its prefix before both. */
const fenceKeyOf = (key: unknown, prefix: string): string => {
  const full = typeof key === 'string' && key !== '' ? prefix + key : undefined;
  const fault = full === undefined ? 'is not a non-empty string' : spellingFault(full);
  if (full === undefined || fault !== undefined) throw new LockNameError(`The key ${formatValue(key)} ${fault}`);
  return full.includes('{') ? `${full.slice(prefix.length)}:fence` : `{${full}}:fence`;
};

export interface RedisFenceStoreOptions {
  /** How long a fence stays after the last request that had it: longer than any writer may be late. Default: for ever. */
  readonly keepFence?: Duration;
}

const REDIS_OPTIONS = namesOf<RedisFenceStoreOptions>()('keepFence');

/** Stores the last fence of each resource in the key `fence:resource`, for receivers of several processes. */
export class RedisFenceStore implements FenceStore {
  private readonly keep: number;

  /**
   * @param client A client of one server, or of a cluster; its `keyPrefix` applies.
   * @throws LockOptionsError
   */
  constructor(
    private readonly client: FenceClient,
    options?: RedisFenceStoreOptions,
  ) {
    const given = parseOptions(options, REDIS_OPTIONS, { of: 'RedisFenceStore' });
    this.keep = parseEnd(given.keepFence, 'keepFence');
  }

  async advance(resource: string, fence: bigint): Promise<bigint> {
    const key = `fence:${parseResource(resource)}`;
    const args = { token: String(parseFence(fence)), keep: this.keep };
    return runFenceScript(this.client, scripts.fencing.advance, { fence: key }, args);
  }
}
