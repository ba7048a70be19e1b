import { types } from 'node:util';

/**
 * Calls `tell` with the rejection if a callback returned a promise where none is awaited: the compiler takes an `async`
 * function for one without a result, and Node ends the process for a rejection that nobody handles.
 */
export const onRejection = (result: unknown, tell: (error: unknown) => void): void => {
  if (types.isPromise(result)) result.then(undefined, tell);
};

/** Marks a promise as handled that is refused as a value: its caller gets the error of that. */
export const refuseQuietly = (result: unknown): void => onRejection(result, () => {});
