import { refuseQuietly } from '../concurrency.js';
import { invalidOption, isSignal } from '../validation/options.js';

/** Finds a signal among the arguments of a method. The parameters are checked against those of the method. */
export type CallerSignal = (...args: never[]) => AbortSignal | undefined;

/** A {@link CallerSignal}. The compiler has checked its arguments, and not its result. */
export type FoundSignal = (this: unknown, ...args: unknown[]) => unknown;

const isFunction = (value: unknown): value is FoundSignal => typeof value === 'function';

/** @throws LockOptionsError that names the value. */
export const parseCallerSignal = (value: unknown): FoundSignal | undefined => {
  if (value === undefined || isFunction(value)) return value;
  throw invalidOption('signal', value, 'a function that finds the signal among the arguments of the method');
};

/** A call of a method whose caller may give a signal. */
interface SignalledCall {
  readonly instance: unknown;
  readonly args: readonly unknown[];
  /** The decorated method, for messages: `@Locked Orders.pay`. */
  readonly method: string;
}

/** @throws LockOptionsError for a result that is no signal; any error of `find`. */
export const signalOfCall = (find: FoundSignal, { instance, args, method }: SignalledCall): AbortSignal | undefined => {
  const signal = find.apply(instance, [...args]);
  if (signal === undefined || isSignal(signal)) return signal;
  refuseQuietly(signal);
  throw invalidOption(`the result of signal of ${method}`, signal, 'an AbortSignal or undefined');
};
