import 'reflect-metadata';

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
