import { Refusal, type Reply, Status } from './keyspace.js';
import type { Keyspace } from './keyspace.js';

/**
 * The values and functions of Lua 5.1 and of Redis that translated scripts use (`scripts.generated.ts`). `nil` is
 * `undefined`; a function returns the list of its results. Texts are bytes in Lua, and characters here: no script counts
 * those of a name.
 */

/** A table: a list from 1 on, and named values. */
class Table {
  named: Map<unknown, unknown> | undefined;

  constructor(readonly list: unknown[]) {}
}

type Results = readonly unknown[];

export const nothing: Results = [];

/** The keyspace of the script that runs now: scripts are executed one at a time, from beginning to end. */
let keyspace: Keyspace | undefined;

/** A script as `tools/lua-to-js.mjs` translates it. */
export type TranslatedScript = (KEYS: unknown, ARGV: unknown) => Results;

/**
 * Runs a script on a keyspace.
 * @throws Refusal as a server replies with an error.
 */
export const runScript = (on: Keyspace, script: TranslatedScript, keys: string[], args: string[]): Reply => {
  keyspace = on;
  on.tick();
  try {
    return replyOf(script(new Table(keys), new Table(args))[0]);
  } finally {
    keyspace = undefined;
  }
};

const typeOf = (value: unknown): string => {
  if (value === undefined) return 'nil';
  return value instanceof Table ? 'table' : typeof value;
};

const refuse = (what: string, value: unknown): never => {
  throw new Refusal(`ERR Error running script: attempt to ${what} a ${typeOf(value)} value`);
};

const tableIn = (value: unknown): Table => (value instanceof Table ? value : refuse('index', value));

export const isTrue = (value: unknown): boolean => value !== undefined && value !== false;
export const and = (left: unknown, right: () => unknown): unknown => (isTrue(left) ? right() : left);
export const or = (left: unknown, right: () => unknown): unknown => (isTrue(left) ? left : right());

/** The number that a value is in arithmetic. */
export const number = (value: unknown): number => {
  if (typeof value === 'number') return value;
  return numberIn(value) ?? refuse('perform arithmetic on', value);
};

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const numberIn = (value: unknown): number | undefined => {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (NUMBER.test(text)) return Number(text);
  return /^[+-]?inf$/.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : undefined;
};

/** The text that a value is in a concatenation: a number has 14 digits. */
export const text = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return refuse('concatenate', value);
  const rounded = Number(value.toPrecision(14));
  const size = Math.abs(rounded);
  if (size === 0 || (size >= 1e-4 && size < 1e14)) return String(rounded);
  const [digits = '', exponent = ''] = rounded.toExponential().split('e');
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
};

export const modulo = (a: number, b: number): number => a - Math.floor(a / b) * b;

export const length = (value: unknown): number =>
  typeof value === 'string' ? value.length : tableIn(value).list.length;

export const get = (table: unknown, index: unknown): unknown => {
  const { list, named } = tableIn(table);
  return typeof index === 'number' && index >= 1 && index <= list.length ? list[index - 1] : named?.get(index);
};

export const set = (table: unknown, index: unknown, value: unknown): void => {
  const target = tableIn(table);
  const { list } = target;
  if (typeof index !== 'number' || index < 1 || index > list.length + 1) {
    (target.named ??= new Map()).set(index, value);
    return;
  }
  list[index - 1] = value;
  while (list.length > 0 && list.at(-1) === undefined) list.pop();
};

export const tableOf = (list: unknown[], named?: readonly (readonly [unknown, unknown])[]): Table => {
  while (list.length > 0 && list.at(-1) === undefined) list.pop();
  const table = new Table(list);
  if (named) table.named = new Map(named);
  return table;
};

export function* ipairs(value: unknown): Generator<readonly [number, unknown]> {
  const { list } = tableIn(value);
  for (let index = 0; index < list.length && list[index] !== undefined; index++) yield [index + 1, list[index]];
}

export const unpack = (table: unknown): Results => tableIn(table).list;

export const tonumber = (value: unknown, base?: unknown): Results => {
  if (typeof value === 'number') return [value];
  if (base === undefined) return [numberIn(value)];
  const read = Number.parseInt(text(value), number(base));
  return [Number.isNaN(read) ? undefined : read];
};

export const tostring = (value: unknown): Results => [text(value)];
export const type = (value: unknown): Results => [typeOf(value)];

export const error = (message: unknown): never => {
  throw new Refusal(`ERR Error running script: ${text(message)}`);
};

export const math = {
  max: (...values: readonly unknown[]): Results => [Math.max(...values.map(number))],
  min: (...values: readonly unknown[]): Results => [Math.min(...values.map(number))],
  floor: (value: unknown): Results => [Math.floor(number(value))],
  ceil: (value: unknown): Results => [Math.ceil(number(value))],
  abs: (value: unknown): Results => [Math.abs(number(value))],
  huge: Infinity,
};

export const table = {
  insert: (target: unknown, ...rest: readonly unknown[]): Results => {
    const { list } = tableIn(target);
    if (rest.length === 1) list.push(rest[0]);
    else list.splice(number(rest[0]) - 1, 0, rest[1]);
    return nothing;
  },
};

const patterns = new Map<string, RegExp>();

/** The classes of characters that scripts use, and how JavaScript calls them. */
const CLASSES: Readonly<Record<string, string>> = { x: '[0-9A-Fa-f]', a: '[A-Za-z]', d: '\\d', s: '\\s', S: '\\S' };

/** A pattern of Lua, of those that scripts use. */
const patternOf = (pattern: string): RegExp => {
  const known = patterns.get(pattern);
  if (known) return known;
  const source = pattern
    .replace(/%(.)/g, (_, character: string) => CLASSES[character] ?? `\\${character}`)
    .replace(/\.-/g, '.*?');
  const made = new RegExp(source, 'gs');
  patterns.set(pattern, made);
  return made;
};

const firstMatch = (subject: string, pattern: string): RegExpExecArray | null => {
  const expression = patternOf(pattern);
  expression.lastIndex = 0;
  return expression.exec(subject);
};

export const string = {
  find: (subject: unknown, pattern: unknown, from: unknown = 1, isPlain: unknown = false): Results => {
    const [searched, wanted] = [text(subject), text(pattern)];
    if (isTrue(isPlain)) {
      const at = searched.indexOf(wanted, number(from) - 1);
      return at === -1 ? [undefined] : [at + 1, at + wanted.length];
    }
    const match = firstMatch(searched, wanted);
    return match ? [match.index + 1, match.index + match[0].length, ...match.slice(1)] : [undefined];
  },
  match: (subject: unknown, pattern: unknown): Results => {
    const match = firstMatch(text(subject), text(pattern));
    if (!match) return [undefined];
    return match.length > 1 ? match.slice(1) : [match[0]];
  },
  gsub: (subject: unknown, pattern: unknown, by: unknown, most: unknown = Infinity): Results => {
    let count = 0;
    const replaced = text(subject).replace(patternOf(text(pattern)), (match) => {
      if (count >= number(most)) return match;
      count += 1;
      return text(typeof by === 'function' ? (by as (match: string) => Results)(match)[0] : by);
    });
    return [replaced, count];
  },
  sub: (subject: unknown, from: unknown, to: unknown = -1): Results => {
    const searched = text(subject);
    const [first, last] = [number(from), number(to)];
    return [searched.slice(first < 0 ? first : first - 1, last < 0 ? searched.length + last + 1 : last)];
  },
  char: (...codes: readonly unknown[]): Results => [String.fromCharCode(...codes.map(number))],
  byte: (subject: unknown): Results => [text(subject).charCodeAt(0)],
  format: (format: unknown, value: unknown): Results => {
    const [, before = '', kind] = /^(.*)%(\.0f|06d|02x)$/.exec(text(format)) ?? [];
    if (kind === '.0f') return [before + BigInt(Math.round(number(value))).toString()];
    if (kind === '06d') return [before + String(number(value)).padStart(6, '0')];
    if (kind === '02x') return [before + number(value).toString(16).padStart(2, '0')];
    return refuse('format', format);
  },
};

const jsonOf = (value: unknown): unknown => {
  if (!(value instanceof Table)) return value;
  const { list, named } = value;
  if (named && named.size > 0) return Object.fromEntries([...named].map(([key, each]) => [text(key), jsonOf(each)]));
  return list.length > 0 ? list.map(jsonOf) : {};
};

export const cjson = { encode: (value: unknown): Results => [JSON.stringify(jsonOf(value))] };

const named = (name: string, value: string): Table => tableOf([], [[name, value]]);

/** A reply of Redis as Lua sees it: nothing is `false`. */
const valueOf = (reply: Reply): unknown => {
  if (reply === null) return false;
  if (reply instanceof Status) return named('ok', reply.text);
  return typeof reply === 'object' ? new Table(reply.map(valueOf)) : reply;
};

const call = (...command: readonly unknown[]): Results => {
  if (!keyspace) throw new Error('No script runs now');
  const texts = command.map((part) => (typeof part === 'number' ? numberText(part) : text(part)));
  return [valueOf(keyspace.call(texts))];
};

const numberText = (value: number): string => {
  if (value === Infinity) return 'inf';
  return value === -Infinity ? '-inf' : String(value);
};

export const redis = {
  call,
  pcall: (...command: readonly unknown[]): Results => {
    try {
      return call(...command);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      return [named('err', refusal.message)];
    }
  },
  error_reply: (message: unknown): Results => [named('err', text(message))],
};

/** A result of a script as its client gets it: a list ends before its first `nil`, and numbers have no fractions. */
const replyOf = (value: unknown): Reply => {
  if (value instanceof Table) {
    const [refusal, status] = [value.named?.get('err'), value.named?.get('ok')];
    if (refusal !== undefined) throw new Refusal(text(refusal));
    if (status !== undefined) return text(status);
    const end = value.list.indexOf(undefined);
    return value.list.slice(0, end === -1 ? undefined : end).map(replyOf);
  }
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value === 'string') return value;
  return value === true ? 1 : null;
};
