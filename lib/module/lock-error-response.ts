import {
  FenceHeaderError,
  IdempotencyError,
  LockAbortedError,
  LockConflictError,
  LockDeadlockError,
  type LockError,
  LockLostError,
  LockNameError,
  LockQueueFullError,
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
  StaleFenceError,
} from '../errors.js';

const BAD_REQUEST = 400;
const CONFLICT = 409;
const PRECONDITION_FAILED = 412;
const UNPROCESSABLE = 422;
const INTERNAL_ERROR = 500;
const UNAVAILABLE = 503;
const SHORTEST_RETRY_S = 1;
/** Longest retry delay while a watchdog may renew the lease, which then does not tell when the work ends, s. */
const RENEWED_RETRY_S = 2;
const LONGEST_RETRY_S = 30;

/** The transport-independent response to a caller whose request failed with a lock error. */
export interface LockErrorResponse {
  /** The matching HTTP status. */
  readonly status: number;
  /** The error's code. */
  readonly code: string;
  /** Without the lock's name and its holder, which may be personal data. */
  readonly message: string;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter?: number;
}

/** The module options that responses depend on. */
export interface ErrorResponseSettings {
  /** HTTP status if another owner holds the lock: 409 or 423. */
  readonly conflictStatus: number;
  /** The longest lease set by a watchdog, ms. */
  readonly renewedLease: number;
}

export const errorResponse = (
  error: LockError,
  { conflictStatus, renewedLease }: ErrorResponseSettings,
): LockErrorResponse => {
  const { code } = error;
  if (error instanceof LockConflictError) {
    return { status: conflictStatus, code, message: 'The resource is in use right now' };
  }
  if (error instanceof LockDeadlockError) {
    const message = 'Another request needs the same resources; try again';
    return { status: CONFLICT, code, message, retryAfter: SHORTEST_RETRY_S };
  }
  if (error instanceof LockLostError && error.isReplaced) {
    return { status: CONFLICT, code, message: 'A newer request has taken the place of this one' };
  }
  if (error instanceof LockTimeoutError) {
    const message = 'The resource is in use; try again later';
    return { status: UNAVAILABLE, code, message, retryAfter: retryAfter(error, renewedLease) };
  }
  if (
    error instanceof LockUnavailableError ||
    error instanceof LockQueueFullError ||
    error instanceof LockShutdownError ||
    error instanceof LockAbortedError
  ) {
    const message = 'Temporarily unavailable; try again later';
    return { status: UNAVAILABLE, code, message, retryAfter: SHORTEST_RETRY_S };
  }
  // Names are made from client input: too long, too many, or with a missing part. A client cannot send an object of a class.
  if (error instanceof LockNameError && error.details['ofProgram'] !== true) {
    const message =
      'maxNames' in error.details
        ? 'The request names too many things at once'
        : 'The request has a missing or invalid value';
    return { status: BAD_REQUEST, code, message };
  }
  if (error instanceof FenceHeaderError) {
    return { status: BAD_REQUEST, code, message: 'The request has no valid fencing token' };
  }
  if (error instanceof StaleFenceError) {
    return { status: PRECONDITION_FAILED, code, message: 'A later holder of the lock has written already' };
  }
  if (error instanceof IdempotencyError) {
    return error.reason === 'key-reused'
      ? { status: UNPROCESSABLE, code, message: 'This idempotency key belongs to another request' }
      : { status: CONFLICT, code, message: 'The request was processed, and its answer cannot be repeated' };
  }
  return { status: INTERNAL_ERROR, code, message: 'Internal server error' };
};

/** Whether the client caused the error. */
export const isClientError = ({ status }: LockErrorResponse): boolean =>
  [BAD_REQUEST, PRECONDITION_FAILED, UNPROCESSABLE].includes(status);
export const isInternal = ({ status }: LockErrorResponse): boolean => status === INTERNAL_ERROR;

/** A lease longer than the watchdog's was set by its holder, so it tells when the lock becomes free. */
const retryAfter = ({ details }: LockTimeoutError, renewedLease: number): number => {
  const remaining = typeof details['remaining'] === 'number' ? details['remaining'] : 0;
  const longest = remaining > renewedLease ? LONGEST_RETRY_S : RENEWED_RETRY_S;
  return Math.min(longest, Math.max(SHORTEST_RETRY_S, Math.ceil(remaining / 1000)));
};
