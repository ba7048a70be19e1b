import { refuseQuietly } from '../concurrency.js';
import { LockOptionsError } from '../errors.js';
import { invalidOption } from '../validation/options.js';
import { type Duration, MAX_DURATION, parseDuration } from '../time/duration.js';

/**
 * Gives the successive pauses of one acquisition, ms. Called anew for each acquisition. When the sequence ends, its
 * last pause is repeated.
 *
 * @example
 * const backoff: Backoff = () => [1, 5, 25];
 */
export type Backoff = () => Iterable<number>;

/** Options of {@link exponentialBackoff}. */
export interface ExponentialBackoff {
  /** The first pause. Default: 1 ms. */
  readonly initial?: Duration | undefined;
  /** Upper limit of a pause. Default: 128 ms. */
  readonly max?: Duration | undefined;
  /** Factor from one pause to the next, at least 1. Default: 2. */
  readonly multiplier?: number | undefined;
}

const pauseOption = (value: unknown, option: string): number =>
  parseDuration(value, option, { min: 1, max: MAX_DURATION });

const multiplierOption = (value: unknown): number => {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 1) return value;
  throw invalidOption('multiplier', value, 'a number of at least 1');
};

/**
 * Exponentially growing pauses. The jitter added to each is less than the number of pauses before it, in ms, so that
 * waiters that began together drift apart (Redisson: `LockOptions.ExponentialBackOff`).
 * @throws LockOptionsError if an option is out of range.
 */
export const exponentialBackoff = (options: ExponentialBackoff = {}): Backoff => {
  const initial = pauseOption(options.initial ?? 1, 'initial');
  const max = pauseOption(options.max ?? 128, 'max');
  const multiplier = multiplierOption(options.multiplier ?? 2);
  return function* pauses() {
    let pause = Math.min(initial, max);
    for (let before = 1; pause < max; before++) {
      yield pause;
      const jitter = Math.floor(Math.random() * before);
      pause = Math.min(max, Math.floor(pause * multiplier) + jitter);
    }
    yield max;
  };
};

/**
 * The same pause every time (Redisson: `LockOptions.ConstantBackOff`).
 * @param delay Length of the pause. Default: 64 ms.
 * @throws LockOptionsError if `delay` is out of range.
 */
export const constantBackoff = (delay: Duration = 64): Backoff => {
  const pause = pauseOption(delay, 'delay');
  return () => [pause];
};

/** @throws LockOptionsError if `value` is not a function. */
export const parseBackoff = (value: unknown): Backoff => {
  if (typeof value === 'function') return value as Backoff;
  throw refused(value, 'a function that returns pauses, such as exponentialBackoff()');
};

const refused = (value: unknown, rule: string, cause?: unknown): LockOptionsError =>
  invalidOption('backoff', value, rule, cause);

/** The pauses of one acquisition, each validated, since a custom `Backoff` may give anything. */
export class BackoffSequence {
  private readonly pauses: Iterator<unknown>;
  private upcoming: number;

  /** @throws LockOptionsError if there is no valid first pause. Nothing has been sent by then. */
  constructor(backoff: Backoff) {
    this.pauses = this.guarded(() => {
      const pauses = backoff();
      refuseQuietly(pauses);
      return pauses[Symbol.iterator]();
    });
    const first = this.draw();
    if (first === undefined) throw refused(undefined, 'a function that returns at least one pause');
    this.upcoming = first;
  }

  /** @throws LockOptionsError if the following value is not a valid pause. */
  next(): number {
    const pause = this.upcoming;
    this.upcoming = this.draw() ?? pause;
    return pause;
  }

  private draw(): number | undefined {
    const { done, value } = this.guarded(() => this.pauses.next());
    if (done) return undefined;
    if (typeof value === 'number' && value > 0 && value <= MAX_DURATION) return value;
    refuseQuietly(value);
    throw refused(value, `a function that returns milliseconds above 0 and up to ${MAX_DURATION}`);
  }

  private guarded<T>(step: () => T): T {
    try {
      return step();
    } catch (cause) {
      throw refused(cause, 'a function that returns pauses', cause);
    }
  }
}
