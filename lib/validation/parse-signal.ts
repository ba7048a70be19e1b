import { invalidOption } from './refused-option.js';

const isSignal = (value: unknown): value is AbortSignal => {
  try {
    // Asked for its state as well: not everything with the prototype of a signal is one.
    return value instanceof AbortSignal && typeof value.aborted === 'boolean';
  } catch {
    return false;
  }
};

/** @throws LockOptionsError naming option and value. */
export const parseSignal = (signal: unknown): AbortSignal | undefined => {
  if (signal === undefined || isSignal(signal)) return signal;
  throw invalidOption('signal', signal, 'an AbortSignal');
};
