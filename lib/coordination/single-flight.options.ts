import { invalidOption, namesOf, parseOptions } from '../validation/options.js';
import { type Duration, MAX_DURATION, parseDuration } from '../time/duration.js';
import { type ErrorClass, isErrorClass } from './error-codec.js';
import { ACQUIRE_OPTIONS } from '../locks/options/lock.options.js';
import type { AcquireOptions } from '../waiting/acquire.options.js';
import { type ConnectionChoice, parseConnectionName } from '../locks/options/connection-choice.js';

/** How long waiters have to fetch the result, ms: longer than it takes to notice a lost message. */
export const FETCHED_WITHIN_MS = 10_000;

/** How a result is shared. */
export interface SharedResultOptions {
  /**
   * How long after its creation a result is also given to new callers, in ms or such as `'5s'`. Errors are only given
   * to callers that called before. Default: 0, only concurrent callers share it.
   */
  readonly ttl?: Duration | undefined;
  /**
   * Error classes that are restored in other processes, with all their fields. Those of Nest, of this library and of
   * JavaScript always are; others become an `Error` with the same name, message and scalar fields.
   */
  readonly errors?: readonly ErrorClass[] | undefined;
}

/** How a result is shared, and how long callers wait for it. */
export type SingleFlightOptions = SharedResultOptions & AcquireOptions & ConnectionChoice;

/** The option names of {@link SharedResultOptions}. */
export const RESULT_OPTIONS = namesOf<SharedResultOptions>()('ttl', 'errors');
const OPTIONS = namesOf<SingleFlightOptions>()(...RESULT_OPTIONS, ...ACQUIRE_OPTIONS, 'connection');

/** How a result is shared, parsed and validated. */
export interface FlightPlan {
  /** Milliseconds. */
  readonly ttl: number;
  readonly errors: readonly ErrorClass[];
}

type GivenFlightOptions = Partial<Record<keyof SharedResultOptions, unknown>>;

const isListOfErrorClasses = (value: unknown): value is readonly ErrorClass[] =>
  Array.isArray(value) && value.every(isErrorClass);

/** @throws LockOptionsError that names option and value. */
export const parseFlight = ({ ttl = 0, errors = [] }: GivenFlightOptions): FlightPlan => {
  if (!isListOfErrorClasses(errors)) throw invalidOption('errors', errors, 'a list of classes that extend Error');
  return { ttl: parseDuration(ttl, 'ttl', { min: 0, max: MAX_DURATION - FETCHED_WITHIN_MS }), errors };
};

/** @throws LockOptionsError that names option and value. */
export const parseSingleFlight = (options: SingleFlightOptions | undefined) => {
  const given = parseOptions(options, OPTIONS, { of: 'singleFlight' });
  return { plan: parseFlight(given), connection: parseConnectionName(given.connection), options: given };
};
