import 'reflect-metadata';
import { Observable } from 'rxjs';
import { recordCancelOnDisconnect } from './request.interceptor.js';
import { wire } from './instance-wiring.js';

/** A method or interceptor that locks on a connection. */
export interface LockedMethodInfo {
  /** Class and method, for messages. */
  readonly place: string;
  /** `undefined`: the default connection. */
  readonly connection: string | undefined;
  /** Whether it locks on the independent masters instead of the connection's own server. */
  readonly usesMasters: boolean;
}

const LOCKED_METHODS = Symbol('connections of @Locked');

type LockedMethods = ReadonlyMap<string | symbol, LockedMethodInfo>;

const recordedOn = (target: object): LockedMethods => {
  const recorded: LockedMethods | undefined = Reflect.getMetadata(LOCKED_METHODS, target);
  return recorded ?? new Map();
};

/** Records the connection that a method locks on, so that the module can report a missing connection at start-up. */
export const recordLockedMethod = (prototype: object, method: string | symbol, locking: LockedMethodInfo): void => {
  Reflect.defineMetadata(LOCKED_METHODS, new Map([...recordedOn(prototype), [method, locking]]), prototype);
};

/** The locking methods of an instance, including inherited ones, with their connections. */
export const lockedMethodsOf = (instance: unknown): readonly LockedMethodInfo[] =>
  typeof instance === 'object' && instance !== null ? [...recordedOn(instance).values()] : [];

// The compiler has checked the decorated method's types; from here on methods are untyped functions.
export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

export const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';

/** The method that a decorator is applied to. */
export interface DecoratedMethod {
  /** The decorator as written in source: `@Locked`. */
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

/** @throws TypeError for a method that returns several values. */
export const assertOneResult = (method: DecoratedMethod): void => {
  if (!isAsyncGenerator(method.original) && declaredType(method) !== Observable) return;
  const { decorator, place } = method;
  throw new TypeError(`${decorator} needs a method with one result, and ${place} returns several; return a promise`);
};

/**
 * @throws TypeError unless the decorator is applied to an instance method, with legacy decorators as Nest uses them.
 */
export const decoratedMethod = (
  decorator: string,
  target: object,
  name: string | symbol,
  descriptor: PropertyDescriptor | undefined,
): DecoratedMethod => {
  if (typeof name === 'object') {
    throw new TypeError(`${decorator} needs "experimentalDecorators" in tsconfig.json, like the rest of Nest`);
  }
  if (isFunction(target)) {
    throw new TypeError(`${decorator} cannot be used on the static method ${target.name}.${String(name)}`);
  }
  const original: unknown = descriptor?.value;
  const place = `${target.constructor.name}.${String(name)}`;
  if (!isFunction(original)) throw new TypeError(`${decorator} can only be used on a method, and ${place} is not one`);
  if (tagOf(original) === '[object GeneratorFunction]') {
    throw new TypeError(`${decorator} cannot wait for a lock in the generator ${place}; make it an async generator`);
  }
  return { decorator, target, name, original, place };
};

const DECLARATION = Symbol('key and options of a locking decorator');

/** The arguments of a locking decorator. */
export interface LockDeclaration {
  /** The decorator as written in source: `@Locked`. */
  readonly decorator: string;
  /** The key template, or the key function. */
  readonly key: unknown;
  readonly options: object;
}

/** The declaration of the outermost locking decorator of a method. */
export const declarationOf = (method: object): LockDeclaration | undefined => Reflect.getMetadata(DECLARATION, method);

/** Metadata of the method for the module. */
interface MethodNeeds {
  /** Key and options as given. Absent: not recorded. */
  readonly declared?: Omit<LockDeclaration, 'decorator'> | undefined;
  /** `undefined`: the default connection. */
  readonly connection: string | undefined;
  /** The lock kind, or what else a call needs of each name. */
  readonly need?: unknown;
  readonly cancelOnDisconnect: boolean | undefined;
}

/** Replaces the method by `advised`, on every instance that Nest constructs. */
export const replaceMethod = (
  { decorator, target, name, original, place }: DecoratedMethod,
  descriptor: PropertyDescriptor,
  advised: AnyFunction,
  { declared, connection, need, cancelOnDisconnect }: MethodNeeds,
): PropertyDescriptor => {
  // Metadata of decorators below is inherited instead of copied: they may add to it later.
  Object.setPrototypeOf(advised, original);
  for (const property of ['name', 'length'] as const) {
    Object.defineProperty(advised, property, { value: original[property], configurable: true });
  }
  recordCancelOnDisconnect(advised, cancelOnDisconnect);
  if (declared) Reflect.defineMetadata(DECLARATION, { decorator, ...declared }, advised);
  wire(target);
  recordLockedMethod(target, name, { place: `${decorator} ${place}`, connection, usesMasters: need === 'quorum' });
  return { ...descriptor, value: advised };
};
