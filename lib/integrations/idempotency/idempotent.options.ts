import type { ExecutionContext } from '@nestjs/common';
import { type ErrorClass, ErrorCodec } from '../../coordination/error-codec.js';
import { FETCHED_WITHIN_MS, RESULT_OPTIONS } from '../../coordination/single-flight.options.js';
import { type SharedPlan, sharedPlan } from '../../decorators/single-flight.options.js';
import { HTTP_ERRORS } from '../../module/redis-lock.constants.js';
import { isFunction } from '../../decorators/decorated-method.js';
import type { ConnectionChoice } from '../../locks/options/connection-choice.js';
import { type Duration, MAX_DURATION, parseDuration } from '../../time/duration.js';
import { invalidOption, namesOf, parseOptions } from '../../validation/options.js';
import { type AcquireOptions, LEASE_OPTIONS, type LeaseOptions } from '../../waiting/acquire.options.js';

/** How answers are kept. */
export type IdempotentOptions = ConnectionChoice &
  LeaseOptions &
  Pick<AcquireOptions, 'wait'> & {
    /** How long the answer is repeated, in ms or such as `'24h'`; after that, the same key is a new call. Default: 24 h. */
    readonly ttl?: Duration | undefined;
    /**
     * Error classes that are answers, repeated like a result, with all their fields; so is an `HttpException` below 500.
     * After another error, a repeated call runs again.
     */
    readonly errors?: readonly ErrorClass[] | undefined;
  };

/** How the answers of a method are kept. */
export type IdempotentMethodOptions = IdempotentOptions & {
  /** The part of the arguments that tells two calls with one key apart: a value of JSON. Default: all arguments. */
  readonly fingerprint?: ((...args: never[]) => unknown) | undefined;
};

/** How the answers of a handler are kept. */
export type IdempotentHandlerOptions = IdempotentOptions & {
  /**
   * The part of a request that tells two with one key apart: a value of JSON. Default: method, URL and body of an HTTP request; handler
   * and arguments in GraphQL; handler and data of a message.
   */
  readonly fingerprint?: ((context: ExecutionContext) => unknown) | undefined;
};

const OPTIONS = namesOf<IdempotentMethodOptions>()(
  ...RESULT_OPTIONS,
  ...LEASE_OPTIONS,
  'wait',
  'connection',
  'fingerprint',
);

const DAY_MS = 86_400_000;

/** The options, parsed and validated. */
export interface IdempotentPlan {
  readonly shared: SharedPlan;
  /** Writes and reads errors that are answers. */
  readonly codec: ErrorCodec;
  /** Absent: the default. */
  readonly fingerprint: ((...args: unknown[]) => unknown) | undefined;
}

/** @throws LockOptionsError that names option and value. */
export const idempotentPlan = (
  options: IdempotentMethodOptions | IdempotentHandlerOptions | undefined,
  of: string,
): IdempotentPlan => {
  const { fingerprint, ...given } = parseOptions(options, OPTIONS, { of });
  if (fingerprint !== undefined && !isFunction(fingerprint)) {
    throw invalidOption('fingerprint', fingerprint, 'a function');
  }
  const ttl = parseDuration(given.ttl ?? DAY_MS, 'ttl', { min: 1, max: MAX_DURATION - FETCHED_WITHIN_MS });
  const shared = sharedPlan({ ...given, ttl, wait: given.wait ?? 0, cancelOnDisconnect: false });
  return { shared, codec: new ErrorCodec([...shared.flight.errors, ...HTTP_ERRORS]), fingerprint };
};
