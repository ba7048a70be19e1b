import { formatValue } from './validation/format-value.js';

/** Context that every error of the library carries besides its message. */
export interface LockErrorContext {
  /** The lock's full name, as stored in Redis; for a group lock `group[fields]`, where `group` is the key. */
  readonly lockName?: string | undefined;
  /** The key template of the `@Locked` method, or the text of a `lockName` tag, if any. */
  readonly template?: string | undefined;
  /** Facts for logs and handlers: holder, remaining milliseconds, offending value. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

/** The stable codes of errors, for programs. */
export type LockErrorCode =
  | 'LOCK_TIMEOUT'
  | 'LOCK_CONFLICT'
  | 'LOCK_LOST'
  | 'LOCK_OWNERSHIP'
  | 'LOCK_DEADLOCK'
  | 'LOCK_ORDER'
  | 'LOCK_QUEUE_FULL'
  | 'LOCK_ABORTED'
  | 'LOCK_UNAVAILABLE'
  | 'LOCK_UNSAFE'
  | 'LOCK_KEY_TYPE'
  | 'LOCK_OPTIONS'
  | 'LOCK_NAME'
  | 'LOCK_STALE_FENCE'
  | 'LOCK_FENCE_HEADER'
  | 'LOCK_IDEMPOTENCY'
  | 'LOCK_SHUTDOWN'
  | 'LOCK_NOT_WIRED';

/**
 * Base class of all errors of the library. Messages name the holder, the remaining time and the remedy; `code` is
 * stable and meant for programs.
 */
export abstract class LockError extends Error {
  abstract readonly code: LockErrorCode;
  readonly lockName: string | undefined;
  readonly template: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, context: LockErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    // Absent and not undefined, so that Node does not print them with an error that has none.
    if (context.lockName !== undefined) this.lockName = context.lockName;
    if (context.template !== undefined) this.template = context.template;
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

  /** Whether a newer caller wants the lock, or has taken it over: `onConflict: 'replace'`. */
  get isReplaced(): boolean {
    return this.details['reason'] === 'replaced';
  }
}

/** The caller tried to release something that it does not hold (Redisson: `IllegalMonitorStateException`). */
export class LockOwnershipError extends LockError {
  readonly code = 'LOCK_OWNERSHIP';
}

/**
 * The wait for a lock could not end, because its holder waited, directly or by way of others, for a lock of the caller;
 * of all these callers this one was chosen to give up. Its own locks must be released, so that the others go on; then it
 * may try again. `details.cycle` names the waits, with methods, locks and owners. Remedy: acquire locks in the same order
 * everywhere.
 */
export class LockDeadlockError extends LockError {
  readonly code = 'LOCK_DEADLOCK';
}

/**
 * With `lockOrder: 'throw'`: the code holds one lock and acquires another, while code elsewhere in this process has
 * acquired them the other way round, so that they can wait for each other for ever. Nothing was acquired. Remedy: acquire
 * them in the same order everywhere.
 */
export class LockOrderError extends LockError {
  readonly code = 'LOCK_ORDER';
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

/** Whether others have what was wanted, at once or for the whole wait. */
export const isConflict = (error: unknown): error is LockConflictError | LockTimeoutError =>
  error instanceof LockConflictError || error instanceof LockTimeoutError;

/** Whether a retry may help: the backend could not decide this time. */
export const isPassing = (error: unknown): error is LockUnavailableError =>
  error instanceof LockUnavailableError && !error.permanent;

/**
 * The key is in use by something else: a Redis key of another type, a hash with application data, or a lock of another
 * kind. `details.found` names it. Nothing was changed.
 */
export class LockKeyTypeError extends LockError {
  readonly code = 'LOCK_KEY_TYPE';
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

/**
 * A write was refused, because a later holder of the lock has written already: the writer had lost its lock. Do not
 * repeat the write with this fence.
 */
export class StaleFenceError extends LockError {
  readonly code = 'LOCK_STALE_FENCE';

  constructor(
    /** The row, key or other object that was to be written. */
    readonly resource: string,
    fence: bigint,
    lastFence: bigint,
  ) {
    super(
      `The write to ${formatValue(resource)} with the fence ${fence} was refused: the last write had the fence ${lastFence}, ` +
        'which a later holder of the lock was given. Do not write again; acquire the lock anew',
      // Text: JSON has no bigints.
      { details: { resource, fence: String(fence), lastFence: String(lastFence) } },
    );
  }

  /** The fencing token of the refused write. */
  get fence(): bigint {
    return BigInt(String(this.details['fence']));
  }

  /** The fencing token of the last write. */
  get lastFence(): bigint {
    return BigInt(String(this.details['lastFence']));
  }
}

/** An HTTP request has no valid fencing token in its header, so that its write cannot be checked and is refused. */
export class FenceHeaderError extends LockError {
  readonly code = 'LOCK_FENCE_HEADER';
}

/**
 * A call with the key of an earlier one cannot have its answer, and was not run: it is another call, or the answer was too
 * long to be kept.
 */
export class IdempotencyError extends LockError {
  readonly code = 'LOCK_IDEMPOTENCY';

  constructor(
    message: string,
    readonly reason: 'key-reused' | 'answer-too-long',
    context?: LockErrorContext,
  ) {
    super(message, context);
  }
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
export const wrongKeyType = (name: string, found: string): LockKeyTypeError =>
  new LockKeyTypeError(
    `The key "${name}" holds a ${found}, which belongs to something else; choose another name or a key prefix for locks`,
    { lockName: name, details: { found } },
  );

/** The message of any thrown value. */
export const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : formatValue(error);
