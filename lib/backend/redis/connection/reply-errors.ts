import { type CommandOutcome, LockUnavailableError } from '../../../errors.js';
import { formatValue } from '../../../validation/format-value.js';

/** What happened, in the words of whoever noticed. */
export const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

/** Answers of a server that says no to this user; asking again cannot help. */
export const PERMANENT = /\b(NOPERM|NOAUTH|WRONGPASS)\b|can't run this command|[Nn]o permissions/;

/** A server that answered with an error: whatever else happened, the command was not lost on the way. */
export const isErrorReply = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError';

/**
 * In a cluster, of a script that touched a key which has just left, beside those it declared. What it had done before
 * stays done.
 */
const BROKEN_OFF = /attempted to access a non local key/;

/** Whether a server of a cluster refused a command, or broke it off, because some of its keys are on another one. */
export const isTryAgain = (error: unknown): boolean => {
  const { cause } = error instanceof Error ? error : {};
  if (!(cause instanceof Error) || !isErrorReply(cause)) return false;
  return /\bTRYAGAIN\b/.test(cause.message) || BROKEN_OFF.test(cause.message);
};

/** ioredis had noticed that the connection is going down, before it has told so, and wrote nothing. */
export const isNotWritten = (error: unknown): boolean => messageOf(error).includes("Stream isn't writeable");

/** What ioredis says of everything that was on its way when a connection was cut; the text is about an option of its own. */
const isCutOff = (error: unknown): boolean => error instanceof Error && error.name === 'MaxRetriesPerRequestError';

/** A server that does not have the command, or not under its name. */
export const isCommandMissing = (error: unknown): boolean =>
  isErrorReply(error) && /^ERR unknown command/i.test(messageOf(error));

/** Redis 6 wraps what happened inside a script into a text of its own, so the text is searched, not compared. */
export const isScriptMissing = (error: unknown): boolean =>
  isErrorReply(error) && messageOf(error).includes('NOSCRIPT');

/** What a failed command means to a caller. */
export const unavailable = (name: string | undefined, error: unknown): LockUnavailableError => {
  if (error instanceof LockUnavailableError) return error;
  const refused = isErrorReply(error) && !BROKEN_OFF.test(messageOf(error));
  if (isNotWritten(error)) return lost('The connection to Redis was cut before anything was sent', 'not-sent', name);
  if (isCutOff(error)) return lost('The connection to Redis was cut before the reply', 'unknown', name);
  const outcome: CommandOutcome = refused ? 'refused' : 'unknown';
  const what = refused ? 'Redis refused the command' : 'The connection to Redis failed before the reply';
  return new LockUnavailableError(`${what}: ${messageOf(error)}`, outcome, PERMANENT.test(messageOf(error)), {
    lockName: name,
    cause: error,
  });
};

/** Without a cause: ioredis has nothing to add that would help anybody. */
const lost = (text: string, outcome: CommandOutcome, lockName: string | undefined): LockUnavailableError =>
  new LockUnavailableError(text, outcome, false, { lockName });

/** What was begun with a deadline that had passed has had no time. */
export const time = (ms: number): string => `${Math.max(0, Math.round(ms))} ms`;

/** No server of a cluster said in time who serves what. */
export const clusterUnknown = (name: string | undefined, waited: number, cause: unknown): LockUnavailableError => {
  const why = cause === undefined ? '' : `: ${messageOf(cause)}`;
  const permanent = cause instanceof LockUnavailableError && cause.permanent;
  const text = `The Redis Cluster could not be asked within ${time(waited)}${why}`;
  return new LockUnavailableError(text, 'not-sent', permanent, { lockName: name, cause });
};

export const noReply = (name: string | undefined, ms: number): LockUnavailableError =>
  new LockUnavailableError(`Redis did not answer within ${time(ms)}`, 'unknown', false, { lockName: name });

/** The answer comes from a proxy, or from a server that is not Redis; what it did is unknown. */
export const unexpectedReply = (reply: unknown): LockUnavailableError =>
  new LockUnavailableError(`Unexpected reply from Redis: ${formatValue(reply)}`, 'unknown', false);
