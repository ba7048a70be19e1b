import {
  LockConflictError,
  LockError,
  LockKeyTypeError,
  LockLostError,
  LockNameError,
  LockOptionsError,
  LockQueueFullError,
  LockTimeoutError,
  LockUnavailableError,
  LockUnsafeError,
  messageOf,
} from '../errors.js';
import { ExitCode } from './exit-code.js';

/** Ends the command line with one sentence and an exit code. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/** Refusals by a server that no other setting of the client can change but user and password. */
const DENIED = /\b(NOPERM|NOAUTH|WRONGPASS|DENIED)\b|invalid password|can't run this command|[Nn]o permissions/;

const unavailableCode = ({ message, permanent }: LockUnavailableError): number => {
  if (!permanent) return ExitCode.unavailable;
  return DENIED.test(message) ? ExitCode.denied : ExitCode.configuration;
};

const NOT_ACQUIRED = [LockTimeoutError, LockConflictError, LockQueueFullError];

const codeOf = (error: unknown): number => {
  if (error instanceof LockUnavailableError) return unavailableCode(error);
  if (error instanceof LockUnsafeError) return ExitCode.configuration;
  if (error instanceof LockLostError) return ExitCode.lost;
  if (error instanceof LockNameError || error instanceof LockKeyTypeError) return ExitCode.data;
  if (error instanceof LockOptionsError) {
    return error.details['option'] === 'connection' ? ExitCode.configuration : ExitCode.usage;
  }
  return NOT_ACQUIRED.some((each) => error instanceof each) ? ExitCode.notAcquired : ExitCode.internal;
};

/** The reasons that the start-up probe found, without its remedy, which is an option of the module. */
const reasonsOf = (error: LockError): string | undefined => {
  const { reasons } = error.details;
  return Array.isArray(reasons) ? reasons.join('; ') : undefined;
};

const sentenceOf = (error: unknown): string => {
  if (error instanceof LockUnsafeError) return `Locks could not be trusted: ${reasonsOf(error) ?? error.message}`;
  if (error instanceof LockError) return reasonsOf(error) ?? error.message;
  return `Internal error: ${messageOf(error)}`;
};

/** The failure of the command line that an error is. */
export const failureOf = (error: unknown): CommandFailure =>
  error instanceof CommandFailure ? error : new CommandFailure(sentenceOf(error), codeOf(error));
