import { type Duration, MAX_DURATION, parseDuration } from '../time/duration.js';
import { namesOf, parseOptions } from '../validation/options.js';

/** Options for setting the number of permits of a semaphore, or the count of a latch. */
export interface TtlOptions {
  /** Time to live of the number, in ms or such as `'30s'`. Absent: unlimited. 1 … 2^31 − 1 ms. */
  readonly ttl?: Duration | undefined;
}

const OPTIONS = namesOf<TtlOptions>()('ttl');

/**
 * Milliseconds to live; `undefined`: unlimited.
 * @param of The method, for the message.
 * @throws LockOptionsError that names the value.
 */
export const parseTtl = (options: TtlOptions | undefined, of: string): number | undefined => {
  const { ttl } = parseOptions(options, OPTIONS, { of });
  return ttl === undefined ? undefined : parseDuration(ttl, 'ttl', { min: 1, max: MAX_DURATION });
};
