/** What every error of the library carries beside its message. */
export interface LockErrorContext {
  /** The lock's full name, as it stands in Redis; of a group lock `group[fields]`, where `group` is the key. */
  readonly lockName?: string | undefined;
  /** The key template of the `@Locked` method, where there is one. */
  readonly template?: string | undefined;
  /** Facts for logs and handlers: holder, remaining milliseconds, offending value. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

/**
 * Base of every error the library throws. Messages say who holds, for how much longer, and what to do; `code` is
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

/** The wait limit passed while somebody else held the lock. Try again later, or wait longer. */
export class LockTimeoutError extends LockError {
  readonly code = 'LOCK_TIMEOUT';
}

/** One try was allowed (`wait: 0`) and the lock was held by somebody else. */
export class LockConflictError extends LockError {
  readonly code = 'LOCK_CONFLICT';
}

/** A hold ended before its owner released it: lease over, key deleted, or the server could not be reached in time. */
export class LockLostError extends LockError {
  readonly code = 'LOCK_LOST';
}

/** Something was to be released that the caller does not hold (Redisson: `IllegalMonitorStateException`). */
export class LockOwnershipError extends LockError {
  readonly code = 'LOCK_OWNERSHIP';
}

/** So many wait for it in this process already that nobody else may (`maxQueue`). Try again later, elsewhere, or not. */
export class LockQueueFullError extends LockError {
  readonly code = 'LOCK_QUEUE_FULL';
}

/** The caller's `AbortSignal` ended a wait; its reason is the `cause`. */
export class LockAbortedError extends LockError {
  readonly code = 'LOCK_ABORTED';
}

/**
 * What is known of a command that failed: `not-sent` and `refused` certainly changed nothing. `unknown` may have been
 * executed: an acquisition is then undone, a release or count-down repeated, in the background until that is confirmed;
 * any other change may have happened, and does not happen later.
 */
export type CommandOutcome = 'not-sent' | 'refused' | 'unknown';

/** The backend could not decide in time: connection down, command deadline passed, or the server refused. */
export class LockUnavailableError extends LockError {
  readonly code = 'LOCK_UNAVAILABLE';

  constructor(
    message: string,
    /** What is known of the command that failed. */
    readonly outcome: CommandOutcome,
    /** True where trying again cannot help, such as a missing permission. */
    readonly permanent: boolean,
    context: LockErrorContext = {},
  ) {
    super(message, context);
  }
}

/**
 * The start-up probe found that locks could not be trusted on a connection: `details.reasons` says why, each with what to
 * do about it. With `probe: 'warn'` it only says so.
 */
export class LockUnsafeError extends LockError {
  readonly code = 'LOCK_UNSAFE';
}

/** Whether asking again may help: the backend could not decide just now. */
export const isPassing = (error: unknown): error is LockUnavailableError =>
  error instanceof LockUnavailableError && !error.permanent;

/**
 * Something else has the name: a Redis key of another type, a hash in which an application keeps its data, or a lock of
 * another kind. `details.found` says which. Nothing was changed.
 */
export class WrongKeyTypeError extends LockError {
  readonly code = 'LOCK_WRONG_KEY_TYPE';
}

/** An option is missing, unknown or out of range; the message names option and value. */
export class LockOptionsError extends LockError {
  readonly code = 'LOCK_OPTIONS';
}

/**
 * A name, or a value that was to become part of one, cannot be used; the message names the value. Or one call has more
 * names than `maxNames` allows: `details.maxNames`.
 */
export class LockNameError extends LockError {
  readonly code = 'LOCK_NAME';
}

/** The module is shutting down: no new acquisitions. */
export class LockShutdownError extends LockError {
  readonly code = 'LOCK_SHUTDOWN';
}

/** A `@Locked` method ran on an instance that Nest did not construct, so no lock could be taken. */
export class LockNotWiredError extends LockError {
  readonly code = 'LOCK_NOT_WIRED';
}

/** @param found What lives under the name, as the backend calls it. */
export const wrongKeyType = (name: string, found: string): WrongKeyTypeError =>
  new WrongKeyTypeError(
    `The key "${name}" holds a ${found}, which belongs to something else; choose another name or a key prefix for locks`,
    { lockName: name, details: { found } },
  );
