import { formatValue } from '../validation/format-value.js';
import { isSayable, isWrittenError, type ErrorCodec } from './error-codec.js';

type Json = string | number | boolean | null | undefined | { readonly [key: string]: Json } | readonly Json[];

/** The type of a value after a JSON round trip: a `Date` becomes a string, a method disappears. */
export type AsJson<T> = 0 extends 1 & T
  ? T
  : T extends { toJSON(): infer J }
    ? AsJson<J>
    : // oxlint-disable-next-line typescript/no-explicit-any -- whatever it takes, it is a function
      T extends bigint | symbol | ((...args: any[]) => unknown)
      ? never
      : T extends Json
        ? T
        : T extends object
          ? { [K in keyof T]: AsJson<T[K]> }
          : T;

/** The outcome of a shared execution. */
export type FlightResult =
  /** `json` is empty if `undefined` was returned. */
  { readonly ended: 'returned'; readonly json: string } | { readonly ended: 'threw'; readonly error: unknown };

const RETURNED = '+';
const THREW = '-';

const isGoingOn = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Symbol.asyncIterator in value || ('subscribe' in value && typeof value.subscribe === 'function'));

/**
 * The result as shared with all callers.
 * @throws TypeError for a value that JSON cannot represent.
 */
export const returned = (value: unknown, name: string): FlightResult => {
  if (value === undefined) return { ended: 'returned', json: '' };
  const why = `The result for "${name}" cannot be shared, because it is not JSON-serializable: ${formatValue(value)}`;
  if (isGoingOn(value)) throw new TypeError(why);
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw new TypeError(why, { cause });
  }
  if (json === undefined) throw new TypeError(why);
  return { ended: 'returned', json };
};

/** The outcome for one caller: throws the error, or returns a fresh copy of the value. */
export const valueOf = (result: FlightResult): unknown => {
  if (result.ended === 'threw') throw result.error;
  return result.json === '' ? undefined : JSON.parse(result.json);
};

const inJson = (thrown: unknown): unknown => (isSayable(thrown) ? thrown : formatValue(thrown));

/** Serializes the outcome for other processes. */
export const write = (result: FlightResult, errors: ErrorCodec): string => {
  if (result.ended === 'returned') return RETURNED + result.json;
  const { error } = result;
  return THREW + JSON.stringify(error instanceof Error ? errors.write(error) : { thrown: inJson(error) });
};

/** Parses what {@link write} wrote; `undefined` for any other text under the name. */
export const read = (text: string, errors: ErrorCodec): FlightResult | undefined => {
  const [ended, json] = [text.slice(0, 1), text.slice(1)];
  if (ended === RETURNED) return json === '' || parsed(json) ? { ended: 'returned', json } : undefined;
  if (ended !== THREW) return undefined;
  const written = parsed(json)?.value;
  if (typeof written !== 'object' || written === null) return undefined;
  if (Object.hasOwn(written, 'thrown')) return { ended: 'threw', error: Reflect.get(written, 'thrown') };
  return isWrittenError(written) ? { ended: 'threw', error: errors.read(written) } : undefined;
};

/** `undefined` for invalid JSON. */
const parsed = (json: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(json) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};
