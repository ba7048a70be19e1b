import 'reflect-metadata';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import { currentContext, RequestContext, runInContext } from '../context/owner-context.js';
import { onClientDisconnect } from './http-response.js';

const TIED = Symbol('waits of @Locked that end with their request');
/** Metadata key under which Nest stores the path of a route. */
const PATH = 'path';

/** True if a decorated method sets `cancelOnDisconnect: true`; it may be called from any handler. */
let isEveryRequestNeeded = false;

/** @param cancelOnDisconnect The option of the decorator. */
export const recordCancelOnDisconnect = (method: object, cancelOnDisconnect: boolean | undefined): void => {
  Reflect.defineMetadata(TIED, cancelOnDisconnect ?? true, method);
  if (cancelOnDisconnect) isEveryRequestNeeded = true;
};

/** Whether a locked method stops waiting when the client of the request disconnects. Default: true for handlers. */
export const cancelsOnDisconnect = (method: object, cancelOnDisconnect: boolean | undefined): boolean =>
  cancelOnDisconnect ?? Reflect.hasMetadata(PATH, method);

/** Tells locked methods when the client of their request disconnects. Inactive if no method uses it. */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const isAsked = isEveryRequestNeeded || Reflect.getMetadata(TIED, context.getHandler()) === true;
    if (!isAsked || context.getType() !== 'http') return next.handle();
    return new Observable((subscriber) => {
      const gone = new AbortController();
      const request = new RequestContext(gone.signal, currentContext());
      subscriber.add(
        onClientDisconnect(context, () => gone.abort(new Error('The client of the request has disconnected'))),
      );
      subscriber.add(() => request.close());
      // Nest binds the next handler to the async context in which `handle` was called.
      subscriber.add(runInContext(request, () => next.handle().subscribe(subscriber)));
    });
  }
}
