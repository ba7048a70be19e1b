import { isObservable } from 'rxjs';
import type { CriticalSection } from '../../reentrancy/critical-section.js';
import type { AbandonTimer } from './single-consumer.js';
import { isAsyncIterable, iterableUnderHold } from './locked-iterable.js';
import { observableUnderHold } from './locked-observable.js';
import { finished, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { StreamableFile } from '@nestjs/common';

/** A stream that is read after the method has returned. */
type Source = Readable | ReadableStream;

/** Detected by tag, as in Nest: the `Response` need not come from this Node's `fetch()`. */
const isResponse = (value: unknown): value is Pick<Response, 'body'> =>
  Object.prototype.toString.call(value) === '[object Response]';

/** The stream that a method returned, directly or wrapped for Nest to send. */
const streamIn = (result: unknown): Source | undefined => {
  if (result instanceof StreamableFile) return result.getStream();
  const source: unknown = isResponse(result) ? result.body : result;
  return source instanceof Readable || source instanceof ReadableStream ? source : undefined;
};

/**
 * Holds the locks until the stream has ended, failed or been abandoned, for example because its client disconnected.
 */
const holdUntilFinished = (section: CriticalSection, stream: Source, onAbandoned: AbandonTimer): void => {
  const release = (): void => void section.leave();
  const stopWaiting = onAbandoned(() => {
    if (isUnread(stream)) release();
  });
  // `finished` accepts web streams, but its types do not. Any outcome ends the stream; errors go to its reader.
  finished(stream as Readable, { writable: false }, () => {
    stopWaiting();
    release();
  });
};

const isUnread = (stream: Source): boolean =>
  stream instanceof Readable ? !stream.readableDidRead && stream.readableFlowing === null : !stream.locked;

/**
 * Wraps a result that continues after the method has returned, and holds the locks until it ends. Returns `undefined`
 * if the result is complete.
 */
export const lockedOpenResult = (section: CriticalSection, result: unknown, onAbandoned: AbandonTimer): unknown => {
  if (isObservable(result)) return observableUnderHold(section, result, onAbandoned);
  // Streams first: they are async iterables, too, but the caller expects the full stream object.
  const stream = streamIn(result);
  if (stream) {
    holdUntilFinished(section, stream, onAbandoned);
    return result;
  }
  return isAsyncIterable(result) ? iterableUnderHold(section, result, onAbandoned) : undefined;
};
