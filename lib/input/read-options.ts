import { LockOptionsError } from '../errors.js';
import { describe } from './describe.js';

/**
 * The own properties of an options object, read once. Getters and proxies may do what they like, so nothing is read
 * from the object again.
 * @throws LockOptionsError for anything that is no object, and for options that do not exist.
 */
export const readOptions = <K extends string>(options: unknown, known: readonly K[]): Partial<Record<K, unknown>> => {
  if (options === undefined) return {};
  let own: Record<string, unknown> | undefined;
  try {
    if (typeof options === 'object' && options !== null && !Array.isArray(options)) own = { ...options };
  } catch (cause) {
    throw new LockOptionsError('options could not be read: a property threw', { cause });
  }
  if (!own) {
    throw new LockOptionsError(`options must be an object, not ${describe(options)}`, { details: { value: options } });
  }
  for (const name of Object.keys(own)) if (!isKnown(name, known)) throw unknownOption(name, known);
  return own as Partial<Record<K, unknown>>;
};

const isKnown = (name: string, known: readonly string[]): boolean => known.includes(name);

const unknownOption = (name: string, known: readonly string[]): LockOptionsError =>
  new LockOptionsError(`unknown option ${describe(name)}; known are ${known.join(', ')}`, {
    details: { option: name },
  });
