import { formatValue } from './validation/format-value.js';

/** Context that every error of the library carries besides its message. */
export interface LockErrorContext {
  /** The lock's full name, as stored in Redis; for a group lock `group[fields]`, where `group` is the key. */
  readonly lockName?: string | undefined;
  /** The key template of the `@Locked` method, if any. */
  readonly template?: string | undefined;
  /** Facts for logs and handlers: holder, remaining milliseconds, offending value. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

/**
 * Base class of all errors of the library. Messages name the holder, the remaining time and the remedy; `code` is
 * stable and meant for programs.
 */
export abstract class LockError extends Error {
  abstract readonly code: string;
  readonly lockName: string | undefined;
  readonly template: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, context: LockErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.lockName = context.lockName;
    this.template = context.template;
    this.details = context.details ?? {};
  }
}

/** The wait limit passed while another owner held the lock. Try again later, or wait longer. */
export class LockTimeoutError extends LockError {
  readonly code = 'LOCK_TIMEOUT';
}

/** Only one attempt was allowed (`wait: 0`) and another owner held the lock. */
export class LockConflictError extends LockError {
  readonly code = 'LOCK_CONFLICT';
}

/** A hold ended before its owner released it: lease over, key deleted, or server unreachable for too long. */
export class LockLostError extends LockError {
  readonly code = 'LOCK_LOST';
}

/** The caller tried to release something that it does not hold (Redisson: `IllegalMonitorStateException`). */
export class LockOwnershipError extends LockError {
  readonly code = 'LOCK_OWNERSHIP';
}

/** The wait queue of the name in this process is full (`maxQueue`). Try again later, try another server, or give up. */
export class LockQueueFullError extends LockError {
  readonly code = 'LOCK_QUEUE_FULL';
}

/** The caller's `AbortSignal` ended a wait; its reason is the `cause`. */
export class LockAbortedError extends LockError {
  readonly code = 'LOCK_ABORTED';
}

/**
 * Known outcome of a failed command. `not-sent` and `refused`: it changed nothing. `unknown`: it may have been
 * executed. After `unknown`, an acquisition is undone and a release or count-down is repeated, in the background until
 * confirmed; any other change may have taken effect, but does not take effect later.
 */
export type CommandOutcome = 'not-sent' | 'refused' | 'unknown';

/** The backend could not decide in time: connection down, command deadline passed, or refused by the server. */
export class LockUnavailableError extends LockError {
  readonly code = 'LOCK_UNAVAILABLE';

  constructor(
    message: string,
    /** Known outcome of the failed command. */
    readonly outcome: CommandOutcome,
    /** True if a retry cannot help, for example because a permission is missing. */
    readonly permanent: boolean,
    context: LockErrorContext = {},
  ) {
    super(message, context);
  }
}

/**
 * The start-up probe found that locks on a connection cannot be trusted: `details.reasons` lists the reasons, each with
 * its remedy. With `probe: 'warn'` it is only reported.
 */
export class LockUnsafeError extends LockError {
  readonly code = 'LOCK_UNSAFE';
}

/** Whether a retry may help: the backend could not decide this time. */
export const isPassing = (error: unknown): error is LockUnavailableError =>
  error instanceof LockUnavailableError && !error.permanent;

/**
 * The key is in use by something else: a Redis key of another type, a hash with application data, or a lock of another
 * kind. `details.found` names it. Nothing was changed.
 */
export class WrongKeyTypeError extends LockError {
  readonly code = 'LOCK_WRONG_KEY_TYPE';
}

/** An option is missing, unknown or out of range; the message names option and value. */
export class LockOptionsError extends LockError {
  readonly code = 'LOCK_OPTIONS';
}

/**
 * A name, or a value that was to become part of a name, is invalid; the message names the value. Or one call has more
 * names than allowed: `details.maxNames`.
 */
export class LockNameError extends LockError {
  readonly code = 'LOCK_NAME';
}

/** The module is shutting down and makes no new acquisitions. */
export class LockShutdownError extends LockError {
  readonly code = 'LOCK_SHUTDOWN';
}

/** A `@Locked` method ran on an instance that Nest did not construct, so no lock could be acquired. */
export class LockNotWiredError extends LockError {
  readonly code = 'LOCK_NOT_WIRED';
}

/** @param found The type or kind found under the name, in the backend's words. */
export const wrongKeyType = (name: string, found: string): WrongKeyTypeError =>
  new WrongKeyTypeError(
    `The key "${name}" holds a ${found}, which belongs to something else; choose another name or a key prefix for locks`,
    { lockName: name, details: { found } },
  );

/** The message of any thrown value. */
export const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : formatValue(error);
