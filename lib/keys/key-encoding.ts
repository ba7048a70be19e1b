import { types } from 'node:util';
import { formatValue } from '../validation/format-value.js';

const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** Kept as is, unless a template needs one of them to separate two placeholders. */
const PUNCTUATION = ['.', '_', '~', '-'];

/**
 * Letters and digits kept as is: ASCII, Latin, Greek, Cyrillic, Hebrew, Arabic, kana, CJK, Hangul. A fixed list instead
 * of `\p{L}`, which grows with the Unicode version of the process: two processes that encode a letter differently would
 * not exclude each other. Combining marks are encoded, so that two spellings of `é` do not look like one key.
 */
const LETTERS = 'A-Za-z0-9À-ÖØ-öø-ɏΑ-ΡΣ-ώЀ-ҁҊ-ԯא-תء-يぁ-ゖァ-ヺ一-鿿가-힣';

const ALWAYS_ENCODED = new RegExp(`[^${LETTERS}%${classOf(PUNCTUATION)}]`, 'u');

/** An id that knows its hexadecimal text, such as an `ObjectId` of MongoDB. */
export interface HexadecimalId {
  toHexString(): string;
}

/** A value that may become part of a key. `1` and `'1'` give the same key, as do an `ObjectId` and its text. */
export type KeyPart = string | number | bigint | boolean | Date | HexadecimalId;

/** The rule for {@link textOf}, for messages. */
export const KEY_PART_RULE = 'non-empty text, a finite number, a bigint, a boolean, a valid date or an ObjectId';

/** How to use another value, for messages. */
export const KEY_PART_REMEDY = 'make text of it in a key function';

/** Encodes text for a name: no character that ends a part, opens a hash tag or needs escaping in a log. */
export type Encoder = (text: string) => string;

/**
 * Creates an encoder that keeps letters, digits and `._~-`, except for the `reserved` ones of these, and writes every
 * other character as the `%XX` of its UTF-8 bytes. Different texts give different results.
 */
export function encoder(reserved: ReadonlySet<string>): Encoder {
  const kept = PUNCTUATION.filter((character) => !reserved.has(character));
  const others = new RegExp(`[^${LETTERS}${classOf(kept)}]`, 'gu');
  return (text) => text.replace(others, (character) => Buffer.from(character).toString('hex').replace(/../g, escapeOf));
}

/**
 * The encoder for the values between which these separators are written. With `-` between two values a `-` inside a
 * value is encoded: `a-b`, `c` and `a`, `b-c` are different values.
 * @param unseparated Makes the error for a separator that cannot tell where a value ends; `found` is what it has.
 */
export function encoderBetween(separators: readonly string[], unseparated: (found: string) => Error): Encoder {
  const reserved = separators.map((separator) => {
    const boundary = boundaryIn(separator);
    if (boundary !== undefined) return boundary.reserved;
    throw unseparated(separator === '' ? 'nothing' : `only ${formatValue(separator)}`);
  });
  return encoder(new Set(reserved));
}

/**
 * A character of the separator that no encoded text contains, so that it marks the end of a value: one that is always
 * encoded, or else one of `._~-`, which must then be reserved. Undefined if the separator has neither.
 */
export function boundaryIn(separator: string): { readonly reserved: string } | undefined {
  if (ALWAYS_ENCODED.test(separator)) return { reserved: '' };
  const reserved = PUNCTUATION.find((character) => separator.includes(character));
  return reserved === undefined ? undefined : { reserved };
}

/**
 * The text of a value in a name, before encoding: non-empty well-formed text, finite numbers, bigints, booleans, valid
 * dates (ISO, UTC). Undefined for all other values. Values that print alike, such as `1` and `'1'`, are the same key.
 */
export function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value === '' || LONE_SURROGATE.test(value) ? undefined : value;
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined;
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      return types.isDate(value) ? isoOf(value) : hexadecimalOf(value);
    default:
      return undefined;
  }
}

const HEXADECIMAL = /^[\da-f][\da-f-]*$/i;

/** Not `toString()`, which every object has: that of most says nothing of the value. */
function hexadecimalOf(value: object | null): string | undefined {
  if (value === null || !('toHexString' in value) || typeof value.toHexString !== 'function') return undefined;
  const text: unknown = value.toHexString();
  return typeof text === 'string' && HEXADECIMAL.test(text) ? text : undefined;
}

/**
 * Whether only the program can have made a value that is no part of a key, so that its caller is not to blame: what a
 * client sends is parsed to text, numbers, booleans, `null`, dates, lists and plain objects.
 */
export function isOfProgram(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol' || types.isProxy(value)) return true;
  if (typeof value !== 'object' || value === null || types.isDate(value) || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}

/** A placeholder as other libraries write it, such as `{0}`, `{0.id}`, `#{0}` and `{args[0].id}`. */
const FOREIGN_PLACEHOLDER = /[#$]?\{+\s*(?:\d+|args?|params?|arguments)\s*(?:[.[][^{}]*)?\}+/;

/**
 * Says that a text has a placeholder that is not replaced, so that all calls would lock one name; `undefined`: it has none.
 * @param instead What to write instead.
 */
export function foreignPlaceholder(
  text: string,
  instead: string,
): { readonly fault: string; readonly position: number } | undefined {
  const found = FOREIGN_PLACEHOLDER.exec(text);
  if (!found) return undefined;
  const { 0: token, index: position } = found;
  return { fault: `has ${formatValue(token)} at position ${position}, which is not replaced; ${instead}`, position };
}

/** Uses `Date.prototype`: a subclass or a property may override `toISOString`. */
function isoOf(value: Date): string | undefined {
  const time = Date.prototype.getTime.call(value);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function escapeOf(hex: string): string {
  return `%${hex.toUpperCase()}`;
}

function classOf(characters: readonly string[]): string {
  return characters.map((character) => (character === '-' ? '\\-' : character)).join('');
}
