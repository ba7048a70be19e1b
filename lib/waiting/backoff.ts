import { LockOptionsError } from '../errors.js';
import { invalidOption } from '../validation/options.js';
import { type Duration, MAX_DURATION, parseDuration } from '../time/duration.js';

/**
 * Gives the pauses of one acquisition, ms, one after the other; asked anew for each acquisition. Where they come to an
 * end, the last one stays.
 *
 * @example
 * const backoff: Backoff = () => [1, 5, 25];
 */
export type Backoff = () => Iterable<number>;

/** How pauses grow. */
export interface ExponentialBackoff {
  /** The first pause. Default: 1 ms. */
  readonly initial?: Duration | undefined;
  /** No pause is longer. Default: 128 ms. */
  readonly max?: Duration | undefined;
  /** How many times as long as the last pause the next one is, at least 1. Default: 2. */
  readonly multiplier?: number | undefined;
}

const pauseOption = (value: unknown, option: string): number =>
  parseDuration(value, option, { min: 1, max: MAX_DURATION });

const multiplierOption = (value: unknown): number => {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 1) return value;
  throw invalidOption('multiplier', value, 'a number of at least 1');
};

/**
 * Pauses that grow, each by up to as many milliseconds more as there were pauses before, so that those who began
 * together do not go on together (Redisson: `LockOptions.ExponentialBackOff`).
 * @throws LockOptionsError
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
 * @param delay Default: 64 ms.
 * @throws LockOptionsError
 */
export const constantBackoff = (delay: Duration = 64): Backoff => {
  const pause = pauseOption(delay, 'delay');
  return () => [pause];
};

/** @throws LockOptionsError for what can give no pauses. */
export const parseBackoff = (value: unknown): Backoff => {
  if (typeof value === 'function') return value as Backoff;
  throw refused(value, 'a function that gives pauses, such as exponentialBackoff()');
};

const refused = (value: unknown, rule: string, cause?: unknown): LockOptionsError =>
  invalidOption('backoff', value, rule, cause);

/** The pauses of one acquisition, each checked, since anybody may have written what gives them. */
export class BackoffSequence {
  private readonly pauses: Iterator<unknown>;
  private upcoming: number;

  /** @throws LockOptionsError when there is no first pause, so that nothing has been sent by then. */
  constructor(backoff: Backoff) {
    this.pauses = this.guarded(() => backoff()[Symbol.iterator]());
    const first = this.draw();
    if (first === undefined) throw refused(undefined, 'a function that gives at least one pause');
    this.upcoming = first;
  }

  /** @throws LockOptionsError when what comes after is no pause. */
  next(): number {
    const pause = this.upcoming;
    this.upcoming = this.draw() ?? pause;
    return pause;
  }

  private draw(): number | undefined {
    const { done, value } = this.guarded(() => this.pauses.next());
    if (done) return undefined;
    if (typeof value === 'number' && value > 0 && value <= MAX_DURATION) return value;
    throw refused(value, `a function that gives milliseconds above 0 and up to ${MAX_DURATION}`);
  }

  private guarded<T>(step: () => T): T {
    try {
      return step();
    } catch (cause) {
      throw refused(cause, 'a function that gives pauses', cause);
    }
  }
}
