import { parseOptions, invalidOption } from '../validation/options.js';
import { type Duration, MAX_DURATION, parseDuration } from '../time/duration.js';
import { type ErrorClass, isErrorClass } from './error-codec.js';
import type { AcquireOptions } from '../waiting/acquire.options.js';
import { type ConnectionChoice, parseConnectionName } from '../locks/lock.options.js';

/** Who waited has that long to come for the result, ms: longer than it takes to notice that a message was lost. */
export const FETCHED_WITHIN_MS = 10_000;

/** How a result is shared. */
export interface SharedResultOptions {
  /**
   * For how long after it was made a result is given to those who call then, in ms or such as `'5s'`. Errors are given only
   * to those who called before. Default: 0, only who calls while it is made shares it.
   */
  readonly ttl?: Duration | undefined;
  /**
   * Classes of errors that come out as such in other processes, with all their fields. Those of Nest, of locks and of the
   * language always do; others come out as an `Error` of the same name, message, and plain fields.
   */
  readonly errors?: readonly ErrorClass[] | undefined;
}

/** How a result is shared, and for how long it is waited for. */
export type SingleFlightOptions = SharedResultOptions & AcquireOptions & ConnectionChoice;

/** How a result is shared, read once and checked. */
export interface FlightPlan {
  /** Milliseconds. */
  readonly ttl: number;
  readonly errors: readonly ErrorClass[];
}

type Given = Partial<Record<keyof SharedResultOptions, unknown>>;

const isListOfErrorClasses = (value: unknown): value is readonly ErrorClass[] =>
  Array.isArray(value) && value.every(isErrorClass);

/** @throws LockOptionsError naming option and value. */
export const parseFlight = ({ ttl = 0, errors = [] }: Given): FlightPlan => {
  if (!isListOfErrorClasses(errors)) throw invalidOption('errors', errors, 'a list of classes that extend Error');
  return { ttl: parseDuration(ttl, 'ttl', { min: 0, max: MAX_DURATION - FETCHED_WITHIN_MS }), errors };
};

/** @throws LockOptionsError naming option and value. */
export const parseSingleFlight = (options: SingleFlightOptions | undefined) => {
  const given = parseOptions(options, ['ttl', 'errors', 'lease', 'wait', 'signal', 'connection'], {
    of: 'singleFlight',
  });
  return { plan: parseFlight(given), connection: parseConnectionName(given.connection), options: given };
};
