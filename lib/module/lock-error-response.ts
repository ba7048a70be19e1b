import {
  LockAbortedError,
  LockConflictError,
  type LockError,
  LockNameError,
  LockQueueFullError,
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
} from '../errors.js';

const BAD_REQUEST = 400;
const INTERNAL_ERROR = 500;
const UNAVAILABLE = 503;
const SHORTEST_RETRY_S = 1;
/** While a watchdog may be renewing the lease, which then says nothing about the end of the work. */
const RENEWED_RETRY_S = 2;
const LONGEST_RETRY_S = 30;

/** What a caller elsewhere is told of an error, by whatever way it called. */
export interface LockErrorResponse {
  /** The HTTP status that says the same. */
  readonly status: number;
  /** That of the error. */
  readonly code: string;
  /** Without the name of the lock and its holder, which may be personal data. */
  readonly message: string;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter?: number;
}

/** What the module was told, as far as answers depend on it. */
export interface AnswerSettings {
  /** What a lock that somebody else holds is over HTTP: 409 or 423. */
  readonly conflictStatus: number;
  /** The longest lease that a watchdog gives, ms. */
  readonly watchdogTimeout: number;
}

export const answerTo = (error: LockError, { conflictStatus, watchdogTimeout }: AnswerSettings): LockErrorResponse => {
  const { code } = error;
  if (error instanceof LockConflictError) {
    return { status: conflictStatus, code, message: 'Somebody else is working on this right now' };
  }
  if (error instanceof LockTimeoutError) {
    const message = 'Somebody else is working on this; try again later';
    return { status: UNAVAILABLE, code, message, retryAfter: retryAfter(error, watchdogTimeout) };
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
  // A name is made of what the client sent: too long, too many, or a part of it missing.
  if (error instanceof LockNameError) {
    const message =
      'maxNames' in error.details
        ? 'The request asks for too many locks at once'
        : 'The request names nothing that can be locked';
    return { status: BAD_REQUEST, code, message };
  }
  return { status: INTERNAL_ERROR, code, message: 'Internal server error' };
};

/** Whether it is the client's mistake, or ours. */
export const isClientError = ({ status }: LockErrorResponse): boolean => status === BAD_REQUEST;
export const isInternal = ({ status }: LockErrorResponse): boolean => status === INTERNAL_ERROR;

/** A lease longer than any that a watchdog gives was fixed by its holder. */
const retryAfter = ({ details }: LockTimeoutError, watchdogTimeout: number): number => {
  const remaining = typeof details['remaining'] === 'number' ? details['remaining'] : 0;
  const longest = remaining > watchdogTimeout ? LONGEST_RETRY_S : RENEWED_RETRY_S;
  return Math.min(longest, Math.max(SHORTEST_RETRY_S, Math.ceil(remaining / 1000)));
};
