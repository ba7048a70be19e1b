import { formatValue } from '../validation/format-value.js';
import {
  encoderBetween,
  foreignPlaceholder,
  isOfProgram,
  KEY_PART_REMEDY,
  KEY_PART_RULE,
  textOf,
} from './key-encoding.js';
import { sortedNames, spellingFault, TOO_MANY_REMEDY } from './lock-name.js';
import { LockNameError } from '../errors.js';

/** `<0.customer.id>`, `<params.id>`: the source of a value, then the properties to follow. */
interface ValuePath {
  /** As written, with its brackets. */
  readonly text: string;
  readonly steps: readonly [source: string, ...properties: string[]];
}

/** The sources of values that the placeholders of a template name. */
export interface Sources {
  /** Matches the name of a source. */
  readonly names: RegExp;
  /** Names nothing: the fault of a placeholder that begins with another name. */
  readonly none: string;
  /** How to write placeholders. */
  readonly remedy: string;
  /** How else to make the key. */
  readonly instead: string;
  /** Word before the name of a source; '' if the name says it. */
  readonly what: string;
}

const INDEX = /^(?:0|[1-9]\d*)$/;

/** The arguments of a method, by their index. */
const ARGUMENTS: Sources = {
  names: INDEX,
  none: 'names no argument',
  remedy: 'write <0> for the first argument, <0.id> for a property of it',
  instead: 'give a function of the arguments',
  what: 'argument ',
};

/** The end of a path in the arguments of a call. */
export interface Found {
  readonly value: unknown;
  /** How far the path could be followed, such as `0.lines[2].sku`. */
  readonly reached: string;
  /** Whether the whole path was followed: false if the next step would be a property of a value that has none. */
  readonly complete: boolean;
  /** The list element on the path, such as `0.lines[2]`; empty if there was no list. */
  readonly element: string;
}

/** How far a path has been followed; see {@link Found}. */
type ArgumentPosition = Pick<Found, 'reached' | 'element'>;

interface Collected {
  readonly found: Found[];
  readonly most: number;
}

const PROPERTIES = /^[^.\s\\\p{Cc}]+(?:\.[^.\s\\\p{Cc}]+)*$/u;
/** Never data, and a way from any object to the program's functions. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Parses the text between the brackets of a placeholder; undefined if it is not a path. */
export function parsePath(text: string, { names }: Sources): ValuePath | undefined {
  const [source = '', ...properties] = text.split('.');
  const isPath = PROPERTIES.test(text) && names.test(source) && !properties.some((name) => FORBIDDEN.has(name));
  return isPath ? { text: `<${text}>`, steps: [source, ...properties] } : undefined;
}

/**
 * Follows a path. Lists are traversed element by element, unless the next step is a number, which picks one element.
 * Property names never address a list itself, so `length`, `at` or `values` is a property of its elements. Throws if a
 * getter throws.
 * @param values The values of the sources, by their names.
 * @param most Most list elements to read.
 * @returns `undefined` if the lists on the path have more elements; the elements beyond `most` are not read.
 */
export function follow(values: object, path: ValuePath, most: number): readonly Found[] | undefined {
  const [source, ...properties] = path.steps;
  const found: Found[] = [];
  const value: unknown = Reflect.get(values, source);
  return walk(value, properties, { reached: source, element: '' }, { found, most }) ? found : undefined;
}

/** Returns false as soon as there are known to be too many elements. */
function walk(
  value: unknown,
  steps: readonly string[],
  { reached, element }: ArgumentPosition,
  into: Collected,
): boolean {
  const [step, ...rest] = steps;
  if (Array.isArray(value) && (step === undefined || !INDEX.test(step))) {
    // By index: array methods skip holes and may be overridden. The length is read once: a proxy may change it.
    const length: number = value.length;
    for (let index = 0; index < length; index += 1) {
      // Counts the remaining elements too, so a list that is too long is refused before any element is read.
      if (into.found.length + length - index > into.most) return false;
      const place = `${reached}[${index}]`;
      if (!walk(value[index], steps, { reached: place, element: place }, into)) return false;
    }
    return true;
  }
  const complete = step === undefined;
  if (complete || typeof value !== 'object' || value === null) {
    into.found.push({ value, reached, complete, element });
    return true;
  }
  return walk(read(value, step), rest, { reached: `${reached}.${step}`, element }, into);
}

/** Reads own properties and getters of the class. Methods and `Object.prototype` are not data. */
function read(object: object, name: string): unknown {
  for (let holder: object | null = object; holder !== null; holder = Reflect.getPrototypeOf(holder)) {
    const property = Reflect.getOwnPropertyDescriptor(holder, name);
    if (property === undefined) continue;
    // Read through the object: a getter needs it as `this`, and a proxy may answer differently from its target.
    return holder === object || property.get !== undefined ? Reflect.get(object, name) : undefined;
  }
  return undefined;
}

/** A parsed template: `literals[0] paths[0] literals[1] paths[1] … literals[n]`. */
interface TemplateParts {
  readonly literals: readonly string[];
  readonly paths: readonly ValuePath[];
}

/** Parses a template. @throws LockNameError with the position (counted from 0) of a syntax error. */
function parseTemplate(text: string, sources: Sources): TemplateParts {
  refuseInterpolation(text, sources);
  const literals: string[] = [];
  const paths: ValuePath[] = [];
  let literal = '';
  let end = 0;
  for (const token of text.matchAll(/\\<|<(?<path>[^<>]*)>|</g)) {
    literal += text.slice(end, token.index);
    end = token.index + token[0].length;
    if (token[0] === '\\<') {
      literal += '<';
      continue;
    }
    const path = parsePath(token.groups?.['path'] ?? '', sources);
    if (path === undefined) throw misspelt(text, token[0], token.index, sources);
    paths.push(path);
    literals.push(literal);
    literal = '';
  }
  literals.push(literal + text.slice(end));
  return { literals, paths };
}

/** In single or double quotes `${id}` is plain text, as `{0}` is: every call would lock the same name. */
function refuseInterpolation(text: string, { remedy: write, instead }: Sources): void {
  const remedy = `${write}, or ${instead}`;
  const foreign = foreignPlaceholder(text, remedy);
  if (foreign) throw templateError(text, foreign.fault, { position: foreign.position });
  const position = text.indexOf('${');
  if (position === -1) return;
  const fault = `has "\${" at position ${position}, which is not replaced in a key template; ${remedy}`;
  throw templateError(text, fault, { position });
}

/** The error for a template, or for a call whose arguments do not fit it. */
function templateError(
  template: unknown,
  fault: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): LockNameError {
  return new LockNameError(`The key template ${formatValue(template)} ${fault}`, {
    template: typeof template === 'string' ? template : undefined,
    details,
    cause,
  });
}

function misspelt(text: string, token: string, position: number, { none, remedy }: Sources): LockNameError {
  const fault = token === '<' ? 'an unclosed "<"' : `${formatValue(token)}, which ${none},`;
  const write = String.raw`${remedy}, \< for a "<"`;
  return templateError(text, `has ${fault} at position ${position}; ${write}`, { position });
}

/** Makes the lock name from the arguments of a call. */
export interface KeyTemplate {
  readonly text: string;
  /** The highest argument index among the placeholders; -1 if there are none. */
  readonly highestIndex: number;
  /**
   * The name for these arguments or, if a placeholder goes through a list, the names for its elements: without
   * duplicates, sorted by bytes. Placeholders through the same list use the same element.
   *
   * @param values The arguments, or the other sources by their names.
   * @param maxNames Most elements that a list may have; elements that give the same name count each.
   * @throws LockNameError if a value is missing or cannot be part of a name, a list is empty or too long, two
   *   placeholders go through different lists, or a getter throws (its error is the `cause`)
   */
  render(values: object, maxNames: number): string | readonly string[];
}

/**
 * Compiles a key template: `<0>` is the first argument, `<0.customer.id>` a property of it, `\<` a literal `<`. Values
 * are percent-encoded, so that different arguments never give the same name and no argument chooses the cluster slot.
 *
 * @throws LockNameError if the syntax is wrong, if nothing separates two placeholders, or if the literal text alone
 *   makes every name of the template invalid
 */
export function compileTemplate(text: string, sources: Sources = ARGUMENTS): KeyTemplate {
  if (typeof text !== 'string' || text === '') throw templateError(text, 'must be a non-empty string');
  const { literals, paths } = parseTemplate(text, sources);
  // Encoded values contain neither braces nor lone surrogates, so one sample represents all names.
  const fault = spellingFault(literals.join('0'));
  if (fault !== undefined) throw templateError(text, fault);
  const encode = encoderBetween(literals.slice(1, -1), (found) =>
    templateError(text, `has ${found} between two placeholders; put a separator such as ":" there`),
  );
  return {
    text,
    highestIndex: Math.max(-1, ...paths.map(({ steps }) => Number(steps[0]))),
    render(values, maxNames) {
      const part = (path: ValuePath, found: Found): string => encode(partOf(text, path, found, sources));
      const columns = paths.map((path) => column(text, path, followed(text, path, values, maxNames), part));
      const list = listAmong(text, columns);
      if (list === undefined) return nameOf(literals, columns, 0);
      return sortedNames(list.cells.map((_, row) => nameOf(literals, columns, row)));
    },
  };
}

/** The values of one placeholder in a call: one cell, or one per element of a list. */
interface Column {
  readonly path: ValuePath;
  readonly cells: readonly [Cell, ...Cell[]];
}

interface Cell {
  /** The list element that the value comes from, such as `0.lines[2]`; empty without a list. */
  readonly element: string;
  readonly encoded: string;
}

function column(
  text: string,
  path: ValuePath,
  [first, ...others]: readonly Found[],
  part: (path: ValuePath, found: Found) => string,
): Column {
  if (first === undefined) {
    throw templateError(text, `has nothing to lock: the list in ${path.text} is empty`, {
      placeholder: path.text,
    });
  }
  const cellOf = (found: Found): Cell => ({ element: found.element, encoded: part(path, found) });
  return { path, cells: [cellOf(first), ...others.map(cellOf)] };
}

function followed(text: string, path: ValuePath, values: object, maxNames: number): readonly Found[] {
  const found = readable(text, path, () => follow(values, path, maxNames));
  if (found) return found;
  throw templateError(text, `finds more than ${maxNames} list elements in ${path.text}; ${TOO_MANY_REMEDY}`, {
    placeholder: path.text,
    maxNames,
  });
}

/** Runs code that reads values, and so may run a getter or a method of theirs. */
function readable<T>(text: string, path: ValuePath, get: () => T): T {
  try {
    return get();
  } catch (error) {
    const fault = `could not read ${path.text}: ${formatValue(error)}`;
    throw templateError(text, fault, { placeholder: path.text, ofProgram: true }, error);
  }
}

function partOf(text: string, path: ValuePath, { value, complete, reached }: Found, { what }: Sources): string {
  const part = complete ? readable(text, path, () => textOf(value)) : undefined;
  if (part !== undefined) return part;
  const found = formatValue(value);
  const ofProgram = isOfProgram(value);
  const remedy = ofProgram ? `; ${KEY_PART_REMEDY}` : '';
  throw templateError(text, `needs ${KEY_PART_RULE} for ${path.text}, but ${what}${reached} is ${found}${remedy}`, {
    placeholder: path.text,
    found,
    ofProgram,
  });
}

/** The first column that goes through a list, if any. All such columns must go through the same elements. */
function listAmong(text: string, columns: readonly Column[]): Column | undefined {
  const [first, ...others] = columns.filter(({ cells }) => cells[0].element !== '');
  if (first === undefined) return undefined;
  const other = others.find(({ cells }) => !sameElements(cells, first.cells));
  if (other === undefined) return first;
  throw templateError(
    text,
    `finds different lists in ${first.path.text} and ${other.path.text}; the names can come from only one list`,
    { placeholders: [first.path.text, other.path.text] },
  );
}

function sameElements(some: readonly Cell[], others: readonly Cell[]): boolean {
  return some.length === others.length && some.every(({ element }, index) => element === others[index]?.element);
}

function nameOf(literals: readonly string[], columns: readonly Column[], row: number): string {
  const parts = columns.map(({ cells }) => (cells[row] ?? cells[0]).encoded);
  return literals.map((literal, index) => literal + (parts[index] ?? '')).join('');
}
