import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import { namesFrom } from './method-key.js';
import { recordLockedMethod } from './decorated-method.js';
import { LockedExecutor } from './locked.executor.js';
import { type LockHandlerOptions, planFor } from './locked.options.js';

/** Makes one or several lock names from the request instead of the handler's arguments. */
export type HandlerKey = (context: ExecutionContext) => string | readonly string[];

/**
 * Creates an interceptor that holds the lock around the whole handler, including pipes and inner interceptors, until
 * the response is complete.
 *
 * @example
 * @UseInterceptors(lockHandler((context) => `cart:${context.switchToHttp().getRequest().params.id}`, { wait: '3s' }))
 */
export const lockHandler = (key: HandlerKey, options?: LockHandlerOptions): Type<NestInterceptor> => {
  const plan = planFor(options, 'lockHandler');

  @Injectable()
  class LockHandler implements NestInterceptor {
    constructor(@Inject(LockedExecutor) private readonly locked: LockedExecutor) {}

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const names = (maxNames: number) => namesFrom(key(context), 'lockHandler', maxNames);
      const method = `lockHandler ${context.getClass().name}.${context.getHandler().name}`;
      return this.locked.intercept({ plan, template: undefined, method, args: [], key: names }, context, next);
    }
  }

  recordLockedMethod(LockHandler.prototype, 'intercept', { place: 'lockHandler', connection: plan.connection });
  return LockHandler;
};
