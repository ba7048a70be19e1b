import { types } from 'node:util';
import { printable } from './printable.js';

const LIMIT = 120;
const SHOWN = 5;

/**
 * Formats any value as one short line for a message: control characters escaped, at most 120 characters. Runs no code
 * of the value (no getter, no `toString`, no proxy trap where that can be avoided) and never throws. Objects show only
 * class and property names, because their values may be secret.
 */
export function formatValue(value: unknown): string {
  try {
    return capped(shown(value));
  } catch {
    // Reached only with a proxy further up the prototype chain.
    return typeof value;
  }
}

function shown(value: unknown): string {
  if (types.isProxy(value)) return `${typeof value} (proxy)`;
  if (Array.isArray(value)) return `array ${list(value.length, (index) => element(value, index), '[', ']')}`;
  if (types.isNativeError(value)) return error(value);
  if (types.isDate(value)) return `object Date ${date(value)}`;
  if (typeof value === 'object' && value !== null) return object(value);
  return scalar(value);
}

function scalar(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'bigint':
      return bigint(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'function':
      return `function ${escaped(ownText(value, 'name'))}`.trimEnd();
    case 'symbol':
      return `Symbol(${escaped(value.description ?? '')})`;
    default:
      return String(value);
  }
}

function bigint(value: bigint): string {
  // Printing a bigint of a million digits takes seconds.
  const shortEnough = 10n ** 100n;
  return value < shortEnough && value > -shortEnough ? `${value}n` : 'bigint of more than 100 digits';
}

function date(value: Date): string {
  const time = Date.prototype.getTime.call(value);
  return Number.isNaN(time) ? '(invalid)' : new Date(time).toISOString();
}

function error(value: Error): string {
  return `${className(value) || 'Error'} ${quoted(ownText(value, 'message'))}`;
}

function object(value: object): string {
  const keys = Object.keys(value);
  const name = className(value);
  const properties = list(keys.length, (index) => escaped(keys[index] ?? ''), '{', '}');
  return `object ${name === '' || name === 'Object' ? '' : `${name} `}${properties}`;
}

function className(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  const constructor = typeof prototype === 'object' && prototype !== null ? own(prototype, 'constructor') : undefined;
  return typeof constructor === 'function' ? escaped(ownText(constructor, 'name')) : '';
}

function element(value: readonly unknown[], index: number): string {
  const item = own(value, String(index));
  return types.isProxy(item) || (typeof item === 'object' && item !== null) ? kind(item) : scalar(item);
}

function kind(item: unknown): string {
  if (types.isProxy(item)) return typeof item;
  return Array.isArray(item) ? 'array' : 'object';
}

function list(length: number, item: (index: number) => string, open: string, close: string): string {
  const items = Array.from({ length: Math.min(length, SHOWN) }, (_, index) => item(index));
  const rest = length > SHOWN ? `, … ${length} in all` : '';
  return `${open}${items.join(', ')}${rest}${close}`;
}

/** The value of a plain data property; getters are not run. */
function own(value: object, name: string): unknown {
  return Reflect.getOwnPropertyDescriptor(value, name)?.value;
}

function ownText(value: object, name: string): string {
  const text = own(value, name);
  return typeof text === 'string' ? text : '';
}

function quoted(text: string): string {
  const rest = text.length > LIMIT ? `… (${text.length} characters)` : '';
  const start = escaped(text, LIMIT - 2 - rest.length, '"');
  return `"${start}"${rest}`;
}

/** Escapes piece by piece and stops at the limit, so that a text of megabytes costs no more than a line. */
function escaped(text: string, limit = LIMIT, quote = ''): string {
  let line = '';
  for (const character of text.slice(0, limit)) {
    const piece = escapedCharacter(character, quote);
    if (line.length + piece.length > limit) return `${line.slice(0, limit - 1)}…`;
    line += piece;
  }
  return line;
}

function escapedCharacter(character: string, quote: string): string {
  return character === quote || character === '\\' ? `\\${character}` : printable(character);
}

function capped(line: string): string {
  return line.length > LIMIT ? `${line.slice(0, LIMIT - 1)}…` : line;
}
