import { isObservable } from 'rxjs';
import type { CriticalSection } from '../../reentrancy/critical-section.js';
import type { AbandonTimer } from './single-consumer.js';
import { isAsyncIterable, iterableHeld } from './async-iterable.js';
import { observableUnderHold } from './observable.js';
import { finished, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { StreamableFile } from '@nestjs/common';

/** What is read after a method has returned. */
type Source = Readable | ReadableStream;

/** By its tag, as Nest does: a `Response` need not be of this Node's `fetch()`. */
const isResponse = (value: unknown): value is Pick<Response, 'body'> =>
  Object.prototype.toString.call(value) === '[object Response]';

/** The stream that a method returned, as it is or for Nest to send. */
export const streamIn = (result: unknown): Source | undefined => {
  if (result instanceof StreamableFile) return result.getStream();
  const source: unknown = isResponse(result) ? result.body : result;
  return source instanceof Readable || source instanceof ReadableStream ? source : undefined;
};

/** The locks stay held until the stream has ended, failed, or was given up, as when its client goes away. */
export const holdUntilFinished = (guard: CriticalSection, stream: Source, afterPatience: AbandonTimer): void => {
  const release = (): void => void guard.leave();
  const stopWaiting = afterPatience(() => {
    if (isUnread(stream)) release();
  });
  // It takes web streams as well, but its types do not say so. Any outcome is an end: whoever reads learns of errors.
  finished(stream as Readable, { writable: false }, () => {
    stopWaiting();
    release();
  });
};

const isUnread = (stream: Source): boolean =>
  stream instanceof Readable ? !stream.readableDidRead && stream.readableFlowing === null : !stream.locked;

/**
 * What a method returned that goes on after it has returned, with the locks held until that ends; `undefined` where it
 * has ended.
 */
export const lockedOpenResult = (guard: CriticalSection, result: unknown, afterPatience: AbandonTimer): unknown => {
  if (isObservable(result)) return observableUnderHold(guard, result, afterPatience);
  // Before iterables, which streams are as well: whoever gets a stream wants all of it.
  const stream = streamIn(result);
  if (stream) {
    holdUntilFinished(guard, stream, afterPatience);
    return result;
  }
  return isAsyncIterable(result) ? iterableHeld(guard, result, afterPatience) : undefined;
};
