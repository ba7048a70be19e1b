import { parseSignal } from '../validation/parse-signal.js';
import { parseOptions } from '../validation/options.js';
import type { Duration } from '../time/duration.js';
import { parseWait } from '../time/duration.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import { WaitLimit } from '../time/wait-limit.js';

/** How to wait for something. */
export interface WaitOptions {
  /** How long, in ms or such as `'30s'`; 0: one try; `Infinity`: without limit. */
  readonly wait?: Duration | undefined;
  /** Ends the wait early with `LockAbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * @param defaultWait Milliseconds where the caller gave no wait.
 * @throws LockOptionsError naming option and value.
 */
export const parseWaitOptions = (
  options: WaitOptions | undefined,
  defaultWait: number,
  scheduler: MonotonicScheduler,
): WaitLimit => {
  const given = parseOptions(options, ['wait', 'signal'], { of: 'acquire, tryAcquire and await' });
  const wait = given.wait === undefined ? defaultWait : parseWait(given.wait, 'wait');
  const signal = parseSignal(given.signal);
  return new WaitLimit(scheduler, wait, signal ? [signal] : []);
};
