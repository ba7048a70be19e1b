import type { Observable } from 'rxjs';
import type { KeyPart } from '../keys/key-encoding.js';
import type { KindContradictions, ReplaceContradictions } from '../locks/options/kind.options.js';
import type { CheckContradictions, CheckNames, Refused } from '../validation/refused.js';
import type { LeaseContradictions } from '../waiting/acquire.options.js';
import type { LockedOptions, NeedContradictions } from './locked.options.js';

/** Makes the key, or the keys of a multi-lock, from the arguments of the locked method. */
export type KeyFunction<A extends readonly unknown[]> = (...args: A) => string | readonly string[];

type Deferred = PromiseLike<unknown> | Observable<unknown> | AsyncIterable<unknown>;
// oxlint-disable-next-line typescript/no-explicit-any -- with `unknown[]` no method that takes an argument would fit
export type Method = (...args: any[]) => unknown;
export type IsAny<T> = 0 extends 1 & T ? true : false;

/** `'a:<0>:\<b>:<1.id>'` → `['0', '1.id']` */
export type Placeholders<K extends string> = K extends `${infer Head}\\<${infer Rest}`
  ? [...PlaceholdersIn<Head>, ...Placeholders<Rest>]
  : PlaceholdersIn<K>;
type PlaceholdersIn<K extends string> = K extends `${string}<${infer P}>${infer Rest}`
  ? [P, ...PlaceholdersIn<Rest>]
  : [];

type IsTuple<T extends readonly unknown[]> = number extends T['length'] ? false : true;

/**
 * One step of a path: into an object or, if the value is a list, into each element. Only numbers index the list itself.
 * A missing property is `undefined`, even if some members of a union have it.
 */
type Step<T, Name extends string> =
  IsAny<T> extends true
    ? T
    : T extends readonly unknown[]
      ? Name extends `${number}`
        ? Element<T, Name>
        : Step<T[number], Name>
      : T extends object
        ? Property<T, Name>
        : undefined;
type Element<T extends readonly unknown[], Index extends string> =
  IsTuple<T> extends true ? Property<T, Index> : T[number];
type Property<T, Name extends string> = Name extends keyof T ? T[Name] : undefined;
type Walk<T, Path extends string> = Path extends `${infer Head}.${infer Tail}`
  ? Walk<Step<T, Head>, Tail>
  : Step<T, Path>;

/** A path starts with an argument index. */
type ValueAt<A, Path extends string> = Path extends `${number}` | `${number}.${string}` ? Walk<A, Path> : undefined;

// oxlint-disable-next-line typescript/no-explicit-any -- the constructor's arguments do not matter here
export type CheckHost<T> = T extends abstract new (...args: any) => unknown
  ? Refused<'a static method has no instance to lock through'>
  : unknown;

type CheckReturn<M extends Method> =
  IsAny<ReturnType<M>> extends true
    ? unknown
    : ReturnType<M> extends Deferred
      ? unknown
      : Refused<'the method must return a Promise, an Observable or an AsyncIterable'>;

/** @typeParam P The types that a placeholder may have. */
export type CheckKey<
  K extends string,
  M extends Method,
  P = KeyPart | readonly KeyPart[],
> = K extends `${string}$\{${string}`
  ? Refused<'write <0> for the first argument; ${ } is not replaced in a key template'>
  : K extends `${string}{${number}}${string}` | `${string}{${number}.${string}}${string}`
    ? Refused<'write <0> for the first argument; {0} is not replaced in a key template'>
    : CheckPlaceholders<Placeholders<K>, Parameters<M>, P>;
type CheckPlaceholders<Paths extends readonly string[], A, P> = Paths extends [
  infer Path extends string,
  ...infer Others extends string[],
]
  ? CheckPart<ValueAt<A, Path>, Path, P> & CheckPlaceholders<Others, A, P>
  : unknown;
/** Unresolved, and so refused, for a type parameter of a generic class; `as MethodDecorator` skips the check. */
type CheckPart<V, Path extends string, P> = [V] extends [P]
  ? unknown
  : Refused<`<${Path}> names no text, number, boolean, date or ObjectId among the arguments; a key function may make text of it`>;

/** A function of the arguments may omit trailing ones, and may accept more general types. */
type CheckArguments<A extends readonly unknown[], M extends Method, Why extends string> =
  // oxlint-disable-next-line typescript/no-explicit-any -- stands for the arguments that the function leaves out
  Parameters<M> extends readonly [...A, ...any[]] ? unknown : Parameters<M> extends A ? unknown : Refused<Why>;

export type CheckKeyFunction<A extends readonly unknown[], M extends Method> = CheckArguments<
  A,
  M,
  'the key function does not take the arguments of this method'
>;

/** Parameters without types are `never`, which fits no argument. */
type CheckSignal<O, M extends Method> = O extends { readonly signal: (...args: infer A) => unknown }
  ? CheckArguments<A, M, 'signal does not take the arguments of this method; its parameters need their types'>
  : unknown;

/** Arguments without types are `unknown`, which fits all. */
type CheckConflictArguments<C, M extends Method> = C extends { readonly args: infer A extends readonly unknown[] }
  ? readonly unknown[] extends A
    ? unknown
    : CheckArguments<A, M, 'onConflict does not take the arguments of this method'>
  : unknown;

/** Results allowed instead of the method's own: the type that the method promises, emits or iterates. */
type Instead<R> =
  R extends PromiseLike<infer T>
    ? T
    : R extends Observable<infer T>
      ? T | Observable<T>
      : R extends AsyncIterable<infer T>
        ? AsyncIterable<T> | undefined
        : never;

/** A method that returns `void` accepts `undefined`. */
type IsInstead<V, R> = [V] extends [Instead<R>] ? true : [V, void] extends [undefined, Instead<R>] ? true : false;

/** A skipped call results in `undefined`; the result of a function must fit the method's return type. */
type CheckConflict<O, M extends Method> =
  IsAny<ReturnType<M>> extends true
    ? unknown
    : O extends { readonly onConflict: 'skip' }
      ? IsInstead<undefined, ReturnType<M>> extends true
        ? unknown
        : Refused<'onConflict: "skip" returns undefined, which the method does not'>
      : O extends { readonly onConflict: (...args: infer C) => infer V }
        ? IsInstead<Awaited<V>, ReturnType<M>> extends true
          ? CheckConflictArguments<C[0], M>
          : Refused<'onConflict returns what the method does not'>
        : unknown;

/** @typeParam T All options that there are. */
export type CheckOptions<O, T = LockedOptions> = CheckNames<O, T> &
  CheckContradictions<
    O,
    [...NeedContradictions, ...ReplaceContradictions, ...KindContradictions, ...LeaseContradictions]
  >;

/**
 * The decorator made by `Locked('order:<0>')`: fits methods whose arguments have the properties named by the template.
 */
export interface LockedByTemplate<K extends string, O = unknown> {
  <T extends object, M extends Method>(
    target: T & CheckHost<T>,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> &
      CheckOptions<O> &
      CheckReturn<M> &
      CheckKey<K, M> &
      CheckConflict<O, M> &
      CheckSignal<O, M>,
  ): void;
}

/** The decorator made by `Locked((order: Order) => …)`: fits methods that pass the arguments of the key function. */
export interface LockedByFunction<A extends readonly unknown[], O = unknown> {
  <T extends object, M extends Method>(
    target: T & CheckHost<T>,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> &
      CheckOptions<O> &
      CheckReturn<M> &
      CheckKeyFunction<A, M> &
      CheckConflict<O, M> &
      CheckSignal<O, M>,
  ): void;
}
