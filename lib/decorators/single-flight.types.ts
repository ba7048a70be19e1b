import type { AsJson } from '../coordination/result-codec.js';
import type { CheckHost, CheckKey, CheckKeyFunction, IsAny, KeyPart, Method, Refused } from './locked.types.js';

/** What everybody is given has to be what the method promises. */
type CheckResult<M extends Method> =
  IsAny<ReturnType<M>> extends true
    ? unknown
    : ReturnType<M> extends PromiseLike<infer T>
      ? [T, void] extends [void, T]
        ? unknown
        : [T] extends [AsJson<T>]
          ? unknown
          : Refused<'the result is shared as JSON, which cannot say all of it'>
      : Refused<'the method must return a Promise'>;

/** The decorator that `SingleFlight('report:<0>')` gives. */
export interface SharedByTemplate<K extends string> {
  <T extends object, M extends Method>(
    target: T & CheckHost<T>,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & CheckResult<M> & CheckKey<K, M, KeyPart>,
  ): void;
}

/** The decorator that `SingleFlight((query: Query) => …)` gives. */
export interface SharedByFunction<A extends readonly unknown[]> {
  <T extends object, M extends Method>(
    target: T & CheckHost<T>,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & CheckResult<M> & CheckKeyFunction<A, M>,
  ): void;
}
