/** `<0.customer.id>`: the number of an argument, then the properties to go through. */
export interface ArgumentPath {
  /** As written, with its brackets. */
  readonly text: string;
  readonly steps: readonly [index: string, ...properties: string[]];
}

/** Where following a path led to. */
export interface Found {
  readonly value: unknown;
  /** How far the path could be followed, such as `0.lines[2].sku`. */
  readonly reached: string;
  /** Whether that is all of it: false where the next step would be a property of something that has none. */
  readonly complete: boolean;
  /** The place of the list element it was reached through, such as `0.lines[2]`; empty if there was no list. */
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
/** Never data, and the way from any object to the functions of the program. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Parses what stands between the brackets of a placeholder; undefined if it is no path. */
export function parsePath(text: string): ArgumentPath | undefined {
  const [index, ...properties] = text.split('.');
  if (index === undefined || !GRAMMAR.test(text) || properties.some((name) => FORBIDDEN.has(name))) return undefined;
  return { text: `<${text}>`, steps: [index, ...properties] };
}

/**
 * Follows a path. A list is gone through element by element, unless the next step is a number: that picks one element.
 * Names never address a list itself, so that a field called `length`, `at` or `values` is the field of its elements.
 * Getters may throw, and so may this.
 * @param most How many list elements may be read.
 * @returns `undefined` if the lists on the path have more elements; the elements beyond `most` are not read.
 */
export function follow(args: readonly unknown[], path: ArgumentPath, most: number): readonly Found[] | undefined {
  const [index, ...properties] = path.steps;
  const found: Found[] = [];
  return walk(args[Number(index)], properties, { reached: index, element: '' }, { found, most }) ? found : undefined;
}

/** Returns false as soon as it is known that there are too many elements. */
function walk(
  value: unknown,
  steps: readonly string[],
  { reached, element }: ArgumentPosition,
  into: Collected,
): boolean {
  const [step, ...rest] = steps;
  if (Array.isArray(value) && (step === undefined || !INDEX.test(step))) {
    // By index, since array methods pass over holes and may be overridden. The length is read once: a proxy may change it.
    const length: number = value.length;
    for (let index = 0; index < length; index += 1) {
      // Each of the remaining elements counts, so a list that is too long is refused before any of it is read.
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

/** Own properties, and what getters of a class give. Methods and `Object.prototype` are not data. */
function read(object: object, name: string): unknown {
  for (let holder: object | null = object; holder !== null; holder = Reflect.getPrototypeOf(holder)) {
    const property = Reflect.getOwnPropertyDescriptor(holder, name);
    if (property === undefined) continue;
    // Read through the object: a getter needs it as `this`, and a proxy may answer otherwise than its target.
    return holder === object || property.get !== undefined ? Reflect.get(object, name) : undefined;
  }
  return undefined;
}
