import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { recordLockedMethod } from '../../decorators/decorated-method.js';
import { type CheckHandlerTemplate, type HandlerKey, parseHandlerKey, partsOf } from '../../decorators/handler-key.js';
import { LockedExecutor } from '../../decorators/locked.executor.js';
import { answerOnce, type ResponseStatus } from './answer.js';
import { idempotentPlan, type IdempotentHandlerOptions } from './idempotent.options.js';

const DECORATOR = '@IdempotentHandler';

/** An HTTP request, as Express and Fastify have it. */
interface Request {
  readonly method: string;
  readonly url: string;
  readonly originalUrl?: string;
  readonly body?: unknown;
}

/** The default fingerprint of a request. */
const asked = (context: ExecutionContext): unknown => {
  if (context.getType() === 'http') {
    const { method, url, originalUrl = url, body } = context.switchToHttp().getRequest<Request>();
    return [method, originalUrl, body];
  }
  return [context.getClass().name, context.getHandler().name, partsOf(context)];
};

/**
 * `@Idempotent` for handlers: a request with the key of an earlier one gets its body and its status, and an error below 500.
 * Works where interceptors do, on handlers of controllers, resolvers and gateways, and on controllers for each of theirs.
 * Put the user into the key, so that nobody gets the answer of somebody else.
 *
 * @param key A template of parts of the request, as of `@LockedHandler`, or a function of the context.
 * @throws LockNameError, LockOptionsError when the decorator is applied, if key or options are invalid. Requests fail as calls
 *   of an `@Idempotent` method do; `LockExceptionFilter` answers 400 without a key, 409 while the first one runs, and 422 if
 *   the key belongs to another request.
 *
 * @example
 * @Post('payments')
 * @IdempotentHandler('pay:<user.id>:<headers.idempotency-key>', { ttl: '24h' })
 * pay(@Body() payment: Payment): Promise<Receipt> { … }
 */
export const IdempotentHandler = <const K extends string>(
  key: HandlerKey | (K & CheckHandlerTemplate<K>),
  options?: IdempotentHandlerOptions,
): ClassDecorator & MethodDecorator => {
  const { template, namesFor } = parseHandlerKey(DECORATOR, key);
  const plan = idempotentPlan(options, DECORATOR);
  const { fingerprint = asked } = plan;

  @Injectable()
  class IdempotentInterceptor implements NestInterceptor {
    constructor(@Inject(LockedExecutor) private readonly locked: LockedExecutor) {}

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const call = {
        plan,
        template,
        key: (maxNames: number) => namesFor(context, maxNames),
        place: `${DECORATOR} ${context.getClass().name}.${context.getHandler().name}`,
        response: context.getType() === 'http' ? context.switchToHttp().getResponse<ResponseStatus>() : undefined,
      };
      return defer(() =>
        answerOnce(this.locked, { ...call, fingerprint: fingerprint(context) }, async () => {
          const body: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
          if (body instanceof StreamableFile)
            throw new TypeError(`${call.place} returned a file, which cannot be repeated`);
          return body;
        }),
      );
    }
  }

  const { connection } = plan.shared;
  recordLockedMethod(IdempotentInterceptor.prototype, 'intercept', {
    place: DECORATOR,
    connection,
    usesMasters: false,
  });
  return UseInterceptors(IdempotentInterceptor);
};
