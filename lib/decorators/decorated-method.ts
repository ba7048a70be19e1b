import 'reflect-metadata';
import { noteRequest } from './request.interceptor.js';
import { wire } from './instance-wiring.js';

/** A method, or an interceptor, that locks on a connection. */
export interface LockedMethodInfo {
  /** Class and method, for messages. */
  readonly place: string;
  /** `undefined` is the default one. */
  readonly connection: string | undefined;
}

const PLACES = Symbol('connections of @Locked');

type Places = ReadonlyMap<string | symbol, LockedMethodInfo>;

const placesOf = (target: object): Places => {
  const places: Places | undefined = Reflect.getMetadata(PLACES, target);
  return places ?? new Map();
};

/** Notes on which connection a method locks, so that an application without it need not wait for the first call. */
export const noteConnection = (prototype: object, method: string | symbol, locking: LockedMethodInfo): void => {
  Reflect.defineMetadata(PLACES, new Map([...placesOf(prototype), [method, locking]]), prototype);
};

/** Which methods of an instance lock, inherited ones included, and on which connections. */
export const lockingPlaces = (instance: unknown): readonly LockedMethodInfo[] =>
  typeof instance === 'object' && instance !== null ? [...placesOf(instance).values()] : [];

// The compiler has checked what is decorated; from here on methods are functions of anything.
export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

export const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';

/** A method that a decorator stands on. */
export interface DecoratedMethod {
  /** As it is written: `@Locked`. */
  readonly decorator: string;
  readonly target: object;
  readonly name: string | symbol;
  readonly original: AnyFunction;
  /** Class and method, for messages. */
  readonly place: string;
}

const tagOf = (method: AnyFunction): string => Object.prototype.toString.call(method);

export const isAsyncGenerator = (method: AnyFunction): boolean => tagOf(method) === '[object AsyncGeneratorFunction]';

export const declaredType = ({ target, name }: DecoratedMethod): unknown =>
  Reflect.getMetadata('design:returntype', target, name);

/** @throws TypeError where the decorator stands on anything but a method of Nest's kind of classes. */
export const decoratedMethod = (
  decorator: string,
  target: object,
  name: string | symbol,
  descriptor: PropertyDescriptor | undefined,
): DecoratedMethod => {
  if (typeof name === 'object') {
    throw new TypeError(`${decorator} needs "experimentalDecorators" in tsconfig.json, as all of Nest does`);
  }
  if (isFunction(target)) {
    throw new TypeError(`${decorator} cannot stand on the static method ${target.name}.${String(name)}`);
  }
  const original: unknown = descriptor?.value;
  const place = `${target.constructor.name}.${String(name)}`;
  if (!isFunction(original)) throw new TypeError(`${decorator} can only stand on a method, and ${place} is none`);
  if (tagOf(original) === '[object GeneratorFunction]') {
    throw new TypeError(`${decorator} cannot wait for a lock in the generator ${place}; make it an async one`);
  }
  return { decorator, target, name, original, place };
};

/** What the module is to know of the method. */
export interface MethodNeeds {
  /** `undefined` is the default one. */
  readonly connection: string | undefined;
  readonly cancelOnDisconnect: boolean | undefined;
}

/** Puts `advised` in the method's place, on every instance that Nest constructs. */
export const replaceMethod = (
  { decorator, target, name, original, place }: DecoratedMethod,
  descriptor: PropertyDescriptor,
  advised: AnyFunction,
  { connection, cancelOnDisconnect }: MethodNeeds,
): PropertyDescriptor => {
  // What decorators below put on the method is inherited, never copied: they may add to it later.
  Object.setPrototypeOf(advised, original);
  for (const property of ['name', 'length'] as const) {
    Object.defineProperty(advised, property, { value: original[property], configurable: true });
  }
  noteRequest(advised, cancelOnDisconnect);
  wire(target);
  noteConnection(target, name, { place: `${decorator} ${place}`, connection });
  return { ...descriptor, value: advised };
};
