import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Observable, throwError } from 'rxjs';
import { LockError } from '../errors.js';
import {
  type ErrorResponseSettings,
  errorResponse,
  isClientError,
  isInternal,
  type LockErrorResponse,
} from './lock-error-response.js';
import { LOCK_SETTINGS } from './redis-lock.constants.js';

/**
 * Reports lock errors to the caller in the form of each transport: HTTP status and `Retry-After`; the error of a
 * microservice; an error with `extensions` in GraphQL; an `exception` event over WebSockets, as Nest's own filters do.
 * The lock's name and its holder are never sent: they may be personal data. The module registers it for the whole
 * application. Nest applies no application-wide filters to gateways, so they need `@UseFilters(LockExceptionFilter)`.
 * A subclass without a constructor gets the services of this one, and injects its own as properties.
 */
@Catch(LockError)
export class LockExceptionFilter implements ExceptionFilter<LockError> {
  private readonly logger = new Logger('RedisLockModule');

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(LOCK_SETTINGS) private readonly settings: ErrorResponseSettings,
  ) {}

  catch(error: LockError, host: ArgumentsHost): Observable<never> | void {
    const answer = this.responseTo(error, host);
    if (isInternal(answer)) this.logger.error(error.message, error.stack);
    if (isClientError(answer)) this.logger.warn(error.message);
    switch (host.getType<string>()) {
      case 'http':
        return this.reply(answer, host);
      case 'rpc':
        // Nest sends the error of the Observable; an error thrown here would leave the caller without a response.
        return throwError(() => payloadOf(answer));
      case 'ws':
        return emit(host.switchToWs().getClient(), payloadOf(answer));
      case 'graphql':
        throw graphqlError(answer, error);
      default:
        throw error;
    }
  }

  /**
   * Message for the caller. Override it for other texts, such as in the caller's language, or for another status.
   *
   * @example
   * protected override responseTo(error: LockError, host: ArgumentsHost): LockErrorResponse {
   *   return { ...super.responseTo(error, host), message: this.i18n.t(error.code) };
   * }
   */
  protected responseTo(error: LockError, _host: ArgumentsHost): LockErrorResponse {
    return errorResponse(error, this.settings);
  }

  private reply({ status, code, message, retryAfter }: LockErrorResponse, host: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const response: unknown = host.switchToHttp().getResponse();
    if (httpAdapter.isHeadersSent(response)) {
      // A response that has started cannot be replaced; end it, so that the client does not wait for the rest.
      httpAdapter.end(response);
      return;
    }
    if (retryAfter !== undefined) httpAdapter.setHeader(response, 'Retry-After', String(retryAfter));
    httpAdapter.reply(response, { statusCode: status, error: code, message }, status);
  }
}

/** The form of Nest's own `RpcException` and `WsException`. */
const payloadOf = (answer: LockErrorResponse) => ({
  status: 'error',
  error: answer.code,
  message: answer.message,
  ...whenToRetry(answer),
});

/** Left out if a later retry makes no more sense. */
const whenToRetry = ({ retryAfter }: LockErrorResponse) => (retryAfter === undefined ? {} : { retryAfter });

/**
 * Clients of socket.io receive events; clients of `ws` receive messages, which Nest's adapter writes as JSON events.
 */
const emit = (client: unknown, data: ReturnType<typeof payloadOf>): void => {
  const event = 'exception';
  const { emit: emitEvent, send, nsp } = client as Partial<Record<'emit' | 'send' | 'nsp', unknown>>;
  if (nsp === undefined && typeof send === 'function') send.call(client, JSON.stringify({ event, data }));
  else if (typeof emitEvent === 'function') emitEvent.call(client, event, data);
};

/** GraphQL servers turn this into an entry of `errors`; the original error, as `cause`, is for their logs. */
const graphqlError = (answer: LockErrorResponse, cause: LockError): Error =>
  Object.assign(new Error(answer.message, { cause }), { extensions: { code: answer.code, ...whenToRetry(answer) } });
