import * as lockErrors from '../errors.js';

/** A class of errors, with any constructor signature. */
export interface ErrorClass {
  readonly name: string;
  readonly prototype: Error;
}

/** A serialized error. */
interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  /** Name of the class to restore. Default: `Error`. */
  readonly is?: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === 'function' && value.prototype instanceof Error;

const BUILT_IN: readonly ErrorClass[] = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
const OURS: readonly ErrorClass[] = Object.values(lockErrors).filter(isErrorClass);

const isScalar = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Whether JSON can represent the value. */
export const isSayable = (value: unknown): boolean => {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    // Circular, or a bigint.
    return false;
  }
};

/** Whether the class has such a method or accessor, for example `__proto__`: data from Redis must not replace it. */
const isOfClass = (error: Error, property: string): boolean => {
  let holder = Reflect.getPrototypeOf(error);
  while (holder !== null) {
    const found = Reflect.getOwnPropertyDescriptor(holder, property);
    if (found) return found.get !== undefined || found.set !== undefined || typeof found.value === 'function';
    holder = Reflect.getPrototypeOf(holder);
  }
  return false;
};

const isOptionalText = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string';

/** Whether JSON from Redis has the shape that {@link ErrorCodec} writes. */
export const isWrittenError = (value: object): value is SerializedError => {
  const { name, message, stack, is, fields } = value as Readonly<Record<string, unknown>>;
  return (
    typeof name === 'string' &&
    typeof message === 'string' &&
    isOptionalText(stack) &&
    isOptionalText(is) &&
    typeof fields === 'object' &&
    fields !== null &&
    !Array.isArray(fields)
  );
};

/** Nested errors would become empty objects in JSON. */
const isWritable = (value: unknown): boolean => !(value instanceof Error) && isSayable(value);

/** Serializes errors, and restores them with their class if it is known. */
export class ErrorCodec {
  /** If two have the same name, the first one counts. */
  private readonly classes: readonly ErrorClass[];

  /** @param classes Known classes besides the library's own and JavaScript's errors. */
  constructor(classes: readonly ErrorClass[] = []) {
    this.classes = [...classes, ...OURS, ...BUILT_IN];
  }

  /** Returns a codec that also knows these classes. */
  knowing(classes: readonly ErrorClass[]): ErrorCodec {
    return classes.length === 0 ? this : new ErrorCodec([...classes, ...this.classes]);
  }

  write(error: Error): SerializedError {
    const known = this.knownClassOf(error);
    // Unknown classes may carry secret or large values: only their scalar fields are written.
    const isCarried = known ? isWritable : isScalar;
    const fields = Object.entries(error).filter(([, value]) => isCarried(value));
    // Whatever the types promise, these properties may have any value.
    const { name, message, stack }: Readonly<Record<'name' | 'message' | 'stack', unknown>> = error as Required<Error>;
    return {
      name: String(name),
      message: String(message),
      stack: typeof stack === 'string' ? stack : undefined,
      ...(known && { is: known.name }),
      fields: Object.fromEntries(fields),
    };
  }

  read({ name, message, stack, is, fields }: SerializedError): Error {
    const error = new Error(message);
    const known = this.classes.find((each) => each.name === is);
    // Constructors have unknown parameters and are not called; the fields hold their results.
    if (known) Object.setPrototypeOf(error, known.prototype);
    for (const [property, value] of Object.entries(fields)) {
      if (isOfClass(error, property)) continue;
      // Defined, not assigned: a setter, such as that of `__proto__`, must not run.
      Object.defineProperty(error, property, { value, configurable: true, writable: true, enumerable: true });
    }
    for (const [property, value] of [
      ['name', name],
      ['stack', stack],
    ] as const) {
      Object.defineProperty(error, property, { value, configurable: true, writable: true, enumerable: false });
    }
    return error;
  }

  private knownClassOf(error: Error): ErrorClass | undefined {
    for (let each: unknown = Object.getPrototypeOf(error); each instanceof Error; each = Object.getPrototypeOf(each)) {
      const known = this.classes.find(({ prototype }) => prototype === each);
      if (known) return known;
    }
    return undefined;
  }
}
