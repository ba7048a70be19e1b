import { type CommandOutcome, LockUnavailableError, messageOf } from '../../errors.js';
import { kindOf } from '../driver/failures.js';
import { formatValue } from '../../validation/format-value.js';

/** Replies of a server that denies this user permission; another attempt cannot help. */
export const PERMANENT = /\b(NOPERM|NOAUTH|WRONGPASS)\b|can't run this command|[Nn]o permissions/;

/** Whether the server denies this user the command, or a key or channel of it. */
export const isPermissionError = (error: unknown): boolean => PERMANENT.test(messageOf(error));

/** Whether the server replied with an error: the command was not lost on the way. */
export const isErrorReply = (error: unknown): boolean => kindOf(error) === 'refused';

/**
 * Reply of a cluster to a script that touched a key, beside those it declared, which has just migrated. Earlier effects
 * of the script remain. Redis begins the text with 'Script attempted', Valkey with 'Attempted'.
 */
const BROKEN_OFF = /attempted to access a non local key/i;

/** Whether a server of a cluster refused a command, or aborted it, because some of its keys are on another one. */
export const isTryAgain = (error: unknown): boolean => {
  const { cause } = error instanceof Error ? error : {};
  if (!(cause instanceof Error) || !isErrorReply(cause)) return false;
  return /\bTRYAGAIN\b/.test(cause.message) || BROKEN_OFF.test(cause.message);
};

/** Whether nothing was written, because there was no connection, or it was closing. */
export const isNotWritten = (error: unknown): boolean => kindOf(error) === 'not-written';

/** Whether the server is a replica, and accepts no writes. Redis 6 wraps errors inside a script. */
export const isReadOnly = (error: unknown): boolean => isErrorReply(error) && messageOf(error).includes('READONLY');

/** Whether the server does not have the command, or not under its name. */
export const isCommandMissing = (error: unknown): boolean =>
  isErrorReply(error) && /^ERR unknown command/i.test(messageOf(error));

/** Whether the server refused WAITAOF, because it writes no append-only file. */
export const isAppendOnlyOff = (error: unknown): boolean =>
  isErrorReply(error) && messageOf(error).includes('appendonly is disabled');

/** Searches the text, because Redis 6 wraps errors inside a script into a text of its own. */
export const isScriptMissing = (error: unknown): boolean =>
  isErrorReply(error) && messageOf(error).includes('NOSCRIPT');

/** Whether the server does not have EVAL, or not for this user. */
export const isEvalRefused = (error: unknown): boolean =>
  isCommandMissing(error) || (isErrorReply(error) && /^NOPERM .*\beval\b/i.test(messageOf(error)));

/** The error of a failed command, for the caller. */
export const unavailable = (name: string | undefined, error: unknown): LockUnavailableError => {
  if (error instanceof LockUnavailableError) return error;
  const refused = isErrorReply(error) && !BROKEN_OFF.test(messageOf(error));
  if (isNotWritten(error)) return lost('The connection to Redis was cut before anything was sent', 'not-sent', name);
  if (kindOf(error) === 'cut') return lost('The connection to Redis was cut before the reply', 'unknown', name);
  const outcome: CommandOutcome = refused ? 'refused' : 'unknown';
  const what = refused ? 'Redis refused the command' : 'The connection to Redis failed before the reply';
  return new LockUnavailableError(`${what}: ${messageOf(error)}`, outcome, PERMANENT.test(messageOf(error)), {
    lockName: name,
    cause: error,
  });
};

/** Without a cause: the error of the driver would add nothing useful. */
const lost = (text: string, outcome: CommandOutcome, lockName: string | undefined): LockUnavailableError =>
  new LockUnavailableError(text, outcome, false, { lockName });

/** A command whose deadline had passed before it began has had no time. */
export const time = (ms: number): string => `${Math.max(0, Math.round(ms))} ms`;

/** The error if no server of a cluster sent the slot map in time. */
export const clusterUnknown = (name: string | undefined, waited: number, cause: unknown): LockUnavailableError => {
  const why = cause === undefined ? '' : `: ${messageOf(cause)}`;
  const permanent = cause instanceof LockUnavailableError && cause.permanent;
  const text = `The Redis Cluster did not answer within ${time(waited)}${why}`;
  return new LockUnavailableError(text, 'not-sent', permanent, { lockName: name, cause });
};

export const noReply = (name: string | undefined, ms: number): LockUnavailableError =>
  new LockUnavailableError(`Redis did not answer within ${time(ms)}`, 'unknown', false, { lockName: name });

/**
 * The error for a malformed reply. It comes from a proxy, or from a server that is not Redis; the effect is unknown.
 */
export const unexpectedReply = (reply: unknown): LockUnavailableError =>
  new LockUnavailableError(`Unexpected reply from Redis: ${formatValue(reply)}`, 'unknown', false);
