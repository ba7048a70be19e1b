import 'reflect-metadata';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import { currentRegion, runInRegion, OwnerContext } from '../context/owner-context.js';
import { whenClientGoes } from './http-response.js';

const TIED = Symbol('waits of @Locked that end with their request');
/** Where Nest keeps the path of a route. */
const PATH = 'path';

/** Whether a method that no handler is ends its waits with the request of whoever calls it. */
let isEveryRequestNeeded = false;

/** @param cancelOnDisconnect As the method was decorated. */
export const noteRequest = (method: object, cancelOnDisconnect: boolean | undefined): void => {
  Reflect.defineMetadata(TIED, cancelOnDisconnect ?? true, method);
  if (cancelOnDisconnect) isEveryRequestNeeded = true;
};

/** Whether a locked method stops to wait when the client of the request has gone. Default: where it is a handler. */
export const endsWithRequest = (method: object, cancelOnDisconnect: boolean | undefined): boolean =>
  cancelOnDisconnect ?? Reflect.hasMetadata(PATH, method);

/** Lets locked methods know that the client of their request has gone. Does nothing where none would ask. */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const isAsked = isEveryRequestNeeded || Reflect.getMetadata(TIED, context.getHandler()) === true;
    if (!isAsked || context.getType() !== 'http') return next.handle();
    return new Observable((subscriber) => {
      const gone = new AbortController();
      const region = new OwnerContext(undefined, currentRegion(), gone.signal);
      subscriber.add(whenClientGoes(context, () => gone.abort(new Error('The client of the request has gone'))));
      subscriber.add(() => region.close());
      // Nest binds what comes next to where `handle` was called.
      subscriber.add(runInRegion(region, () => next.handle().subscribe(subscriber)));
    });
  }
}
