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
import { recordLockedMethod } from './decorated-method.js';
import { type CheckHandlerTemplate, type HandlerKey, parseHandlerKey } from './handler-key.js';
import { LockedExecutor } from './locked.executor.js';
import { type LockHandlerOptions, planForHandler } from './locked.options.js';
import type { CheckOptions } from './locked.types.js';
import type { EachOf } from '../validation/refused.js';

/**
 * Creates an interceptor that holds the lock around the whole handler, including pipes and inner interceptors, until
 * the response is complete.
 *
 * A template names parts of an HTTP request (`<params.id>`, `<query.id>`, `<body.id>`, `<headers.id>`), the user that a
 * guard has set there (`<user.id>`), arguments of a GraphQL resolver (`<args.id>`), or the data of a message
 * (`<data.id>`), encoded as in templates of `@Locked`.
 * @example
 * const cartLock = lockHandler('cart:<params.id>');
 *
 * @UseInterceptors(cartLock)
 */
export function lockHandler<const K extends string>(
  key: HandlerKey | (K & CheckHandlerTemplate<K>),
): Type<NestInterceptor>;
/** As {@link lockHandler}, with these options. */
export function lockHandler<const K extends string, const O extends EachOf<LockHandlerOptions> | undefined>(
  key: HandlerKey | (K & CheckHandlerTemplate<K>),
  options: O & CheckOptions<O, LockHandlerOptions>,
): Type<NestInterceptor>;
export function lockHandler(key: HandlerKey | string, options?: LockHandlerOptions): Type<NestInterceptor> {
  return handlerInterceptor('lockHandler', key, options);
}

/**
 * @param of The function or decorator as written in source, for messages.
 * @throws LockNameError, LockOptionsError
 */
const handlerInterceptor = (
  of: string,
  key: HandlerKey | string,
  options: LockHandlerOptions | undefined,
): Type<NestInterceptor> => {
  const { template, namesFor } = parseHandlerKey(of, key);
  const plan = planForHandler(options, of);

  @Injectable()
  class LockHandler implements NestInterceptor {
    constructor(@Inject(LockedExecutor) private readonly locked: LockedExecutor) {}

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const names = (maxNames: number) => namesFor(context, maxNames);
      const method = `${of} ${context.getClass().name}.${context.getHandler().name}`;
      return this.locked.intercept({ plan, template, method, args: [], key: names }, context, next);
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
 * @LockedHandler('cart:<params.id>', { wait: '3s' })
 * add(@Param('id') id: string) { … }
 */
export const LockedHandler = <const K extends string>(
  key: HandlerKey | (K & CheckHandlerTemplate<K>),
  options?: LockHandlerOptions,
): ClassDecorator & MethodDecorator => UseInterceptors(handlerInterceptor('@LockedHandler', key, options));
