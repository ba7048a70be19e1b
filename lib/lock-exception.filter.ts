import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Observable, throwError } from 'rxjs';
import {
  LockAbortedError,
  LockConflictError,
  LockError,
  LockNameError,
  LockQueueFullError,
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
} from './errors.js';
import { LOCK_SETTINGS } from './redis-lock.tokens.js';
import type { LockSettings } from './redis-lock.settings.js';

const BAD_REQUEST = 400;
const INTERNAL_ERROR = 500;
const UNAVAILABLE = 503;
const SHORTEST_RETRY_S = 1;
const LONGEST_RETRY_S = 30;

interface Answer {
  readonly status: number;
  readonly message: string;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter?: number;
}

/**
 * Maps the errors of locks to HTTP. The name of a lock and its holder never go into a response: they may be personal
 * data. Microservices send the
 * same without a status; GraphQL and WebSockets get the error itself. The module registers it for the whole application.
 */
@Catch(LockError)
export class LockExceptionFilter implements ExceptionFilter<LockError> {
  private readonly logger = new Logger('RedisLockModule');

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(LOCK_SETTINGS) private readonly settings: Pick<LockSettings, 'conflictStatus'>,
  ) {}

  catch(error: LockError, host: ArgumentsHost): Observable<never> | void {
    // Nest sends what the Observable fails with; anything thrown here would leave the caller without an answer.
    if (host.getType() === 'rpc') {
      return throwError(() => ({ status: 'error', error: error.code, message: this.answer(error).message }));
    }
    if (host.getType() !== 'http') throw error;
    const { httpAdapter } = this.host;
    const response: unknown = host.switchToHttp().getResponse();
    const { status, message, retryAfter } = this.answer(error);
    if (status === INTERNAL_ERROR) this.logger.error(error.message, error.stack);
    if (status === BAD_REQUEST) this.logger.warn(error.message);
    if (httpAdapter.isHeadersSent(response)) {
      // A handler that has begun to answer cannot take it back; its client must not wait for the rest.
      httpAdapter.end(response);
      return;
    }
    if (retryAfter !== undefined) httpAdapter.setHeader(response, 'Retry-After', String(retryAfter));
    httpAdapter.reply(response, { statusCode: status, error: error.code, message }, status);
  }

  private answer(error: LockError): Answer {
    if (error instanceof LockConflictError) {
      return { status: this.settings.conflictStatus, message: 'Somebody else is working on this right now' };
    }
    if (error instanceof LockTimeoutError) {
      return {
        status: UNAVAILABLE,
        message: 'Somebody else is working on this; try again later',
        retryAfter: retryAfter(error),
      };
    }
    if (
      error instanceof LockUnavailableError ||
      error instanceof LockQueueFullError ||
      error instanceof LockShutdownError ||
      error instanceof LockAbortedError
    ) {
      return { status: UNAVAILABLE, message: 'Temporarily unavailable; try again later', retryAfter: SHORTEST_RETRY_S };
    }
    // A name is made of what the client sent: too long, or a part of it missing.
    if (error instanceof LockNameError)
      return { status: BAD_REQUEST, message: 'The request names nothing that can be locked' };
    return { status: INTERNAL_ERROR, message: 'Internal server error' };
  }
}

const retryAfter = (error: LockTimeoutError): number => {
  const { remaining } = error.details;
  const seconds = typeof remaining === 'number' ? Math.ceil(remaining / 1000) : SHORTEST_RETRY_S;
  return Math.min(LONGEST_RETRY_S, Math.max(SHORTEST_RETRY_S, seconds));
};
