/** `<0.customer.id>`: an argument index, then the properties to follow. */
export interface ArgumentPath {
  /** As written, with its brackets. */
  readonly text: string;
  readonly steps: readonly [index: string, ...properties: string[]];
}

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

const GRAMMAR = /^(?:0|[1-9]\d*)(?:\.[^.\s\\\p{Cc}]+)*$/u;
const INDEX = /^(?:0|[1-9]\d*)$/;
/** Never data, and a way from any object to the program's functions. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Parses the text between the brackets of a placeholder; undefined if it is not a path. */
export function parsePath(text: string): ArgumentPath | undefined {
  const [index, ...properties] = text.split('.');
  if (index === undefined || !GRAMMAR.test(text) || properties.some((name) => FORBIDDEN.has(name))) return undefined;
  return { text: `<${text}>`, steps: [index, ...properties] };
}

/**
 * Follows a path. Lists are traversed element by element, unless the next step is a number, which picks one element.
 * Property names never address a list itself, so `length`, `at` or `values` is a property of its elements. Throws if a
 * getter throws.
 * @param most Most list elements to read.
 * @returns `undefined` if the lists on the path have more elements; the elements beyond `most` are not read.
 */
export function follow(args: readonly unknown[], path: ArgumentPath, most: number): readonly Found[] | undefined {
  const [index, ...properties] = path.steps;
  const found: Found[] = [];
  return walk(args[Number(index)], properties, { reached: index, element: '' }, { found, most }) ? found : undefined;
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
