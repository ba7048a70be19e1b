import * as lockErrors from '../errors.js';

/** A class of errors, whatever its constructor takes. */
export interface ErrorClass {
  readonly name: string;
  readonly prototype: Error;
}

/** An error as text can carry it. */
export interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  /** The class that it comes out as. Default: `Error`. */
  readonly is?: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === 'function' && value.prototype instanceof Error;

const BUILT_IN: readonly ErrorClass[] = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
const OURS: readonly ErrorClass[] = Object.values(lockErrors).filter(isErrorClass);

const isScalar = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Whether JSON can say it. */
export const isSayable = (value: unknown): boolean => {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    // Circular, or a bigint.
    return false;
  }
};

/** Whether the class gives it, as it gives methods, getters and `__proto__`: a text from Redis must not replace them. */
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

/** Whether JSON from elsewhere is an error as {@link ErrorCodec} writes it. */
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

/** Errors in errors would come out empty. */
const isWritable = (value: unknown): boolean => !(value instanceof Error) && isSayable(value);

/** Writes errors down, and makes of what was written what they were, as far as their class is known. */
export class ErrorCodec {
  /** The first of a name counts. */
  private readonly classes: readonly ErrorClass[];

  /** @param classes What is known beside the errors of locks and of the language. */
  constructor(classes: readonly ErrorClass[] = []) {
    this.classes = [...classes, ...OURS, ...BUILT_IN];
  }

  /** The same, which knows these classes as well. */
  knowing(classes: readonly ErrorClass[]): ErrorCodec {
    return classes.length === 0 ? this : new ErrorCodec([...classes, ...this.classes]);
  }

  write(error: Error): SerializedError {
    const known = this.knownClassOf(error);
    // What strangers carry may be secret, or large: of them only plain facts.
    const isCarried = known ? isWritable : isScalar;
    const fields = Object.entries(error).filter(([, value]) => isCarried(value));
    // Whatever the types promise, an error may carry anything under these names.
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
    // Constructors take what they like; what they make of it is in the fields.
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
