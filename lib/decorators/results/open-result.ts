import { isObservable } from 'rxjs';
import type { CriticalSection } from '../../reentrancy/critical-section.js';
import type { AbandonTimer } from './single-consumer.js';
import { isAsyncIterable, iterableHeld } from './async-iterable.js';
import { observableUnderHold } from './observable.js';
import { holdUntilFinished, streamIn } from './locked.streams.js';

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
