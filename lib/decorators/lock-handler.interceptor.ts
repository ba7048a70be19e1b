import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import { LockNameError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import { namesFrom } from './method-key.js';
import { isFunction, recordLockedMethod } from './decorated-method.js';
import { LockedExecutor } from './locked.executor.js';
import { type LockHandlerOptions, planForHandler } from './locked.options.js';
import type { CheckOptions } from './locked.types.js';
import type { EachOf } from '../validation/refused.js';

/** Makes one or several lock names from the request instead of the handler's arguments. */
export type HandlerKey = (context: ExecutionContext) => string | readonly string[];

/**
 * Creates an interceptor that holds the lock around the whole handler, including pipes and inner interceptors, until
 * the response is complete.
 *
 * @example
 * const cartLock = lockHandler((context) => lockName`cart:${context.switchToHttp().getRequest().params.id}`);
 *
 * @UseInterceptors(cartLock)
 */
export function lockHandler(key: HandlerKey): Type<NestInterceptor>;
/** As {@link lockHandler}, with these options. */
export function lockHandler<const O extends EachOf<LockHandlerOptions> | undefined>(
  key: HandlerKey,
  options: O & CheckOptions<O, LockHandlerOptions>,
): Type<NestInterceptor>;
export function lockHandler(key: HandlerKey, options?: LockHandlerOptions): Type<NestInterceptor> {
  return handlerInterceptor('lockHandler', key, options);
}

/**
 * @param of The function or decorator as written in source, for messages.
 * @throws LockNameError, LockOptionsError
 */
const handlerInterceptor = (
  of: string,
  key: HandlerKey,
  options: LockHandlerOptions | undefined,
): Type<NestInterceptor> => {
  if (!isFunction(key)) throw new LockNameError(`${of} takes a key function, not ${formatValue(key)}`);
  const plan = planForHandler(options, of);

  @Injectable()
  class LockHandler implements NestInterceptor {
    constructor(@Inject(LockedExecutor) private readonly locked: LockedExecutor) {}

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const names = (maxNames: number) => namesFrom(key(context), of, maxNames);
      const method = `${of} ${context.getClass().name}.${context.getHandler().name}`;
      return this.locked.intercept({ plan, template: undefined, method, args: [], key: names }, context, next);
    }
  }

  const { connection, need } = plan;
  recordLockedMethod(LockHandler.prototype, 'intercept', { place: of, connection, usesMasters: need === 'quorum' });
  return LockHandler;
};

/**
 * `lockHandler` as a decorator: holds the lock around the whole handler, including pipes and inner interceptors,
 * until the response is complete. On a controller: around each of its handlers. It works where interceptors do, on
 * handlers of controllers, resolvers and gateways; for other methods use `@Locked`.
 *
 * @example
 * @Post(':id/items')
 * @LockedHandler((context) => lockName`cart:${context.switchToHttp().getRequest().params.id}`, { wait: '3s' })
 * add(@Param('id') id: string) { … }
 */
export const LockedHandler = (key: HandlerKey, options?: LockHandlerOptions): ClassDecorator & MethodDecorator =>
  UseInterceptors(handlerInterceptor('@LockedHandler', key, options));
