import { UseInterceptors } from '@nestjs/common';
import { type HandlerKey, handlerInterceptor } from './lock-handler.interceptor.js';
import type { LockHandlerOptions } from './locked.options.js';

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
