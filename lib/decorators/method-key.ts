import 'reflect-metadata';
import { LockNameError } from '../errors.js';
import { refuseQuietly } from '../concurrency.js';
import { formatValue } from '../validation/format-value.js';
import { isOfProgram } from '../keys/key-encoding.js';
import { compileTemplate, type KeyTemplate } from '../keys/key-template.js';
import { type DecoratedMethod, isFunction } from './decorated-method.js';
import { assertNameCount } from '../keys/lock-name.js';

/**
 * Checks the result of a key function, and reads a list once. An empty list is refused: nothing would be locked.
 * @param place Owner of the key function, for the message.
 * @param maxNames Largest number of names allowed.
 * @throws LockNameError
 */
export const namesFrom = (names: unknown, place: string, maxNames: number): string | readonly string[] => {
  if (typeof names === 'string') return names;
  refuseQuietly(names);
  if (!Array.isArray(names) || names.length === 0) throw noName(place, names);
  assertNameCount(`The list from the key function of ${place}`, names.length, maxNames);
  return Array.from(names, (name: unknown, index) => {
    if (typeof name === 'string') return name;
    refuseQuietly(name);
    throw noName(place, name, ` at index ${index} of its list`);
  });
};

const noName = (place: string, found: unknown, where = ''): LockNameError =>
  new LockNameError(
    `The key function of ${place} must return a name or a list of names, not ${formatValue(found)}${where}`,
    {
      details: { place, found: formatValue(found), ofProgram: isOfProgram(found) },
    },
  );

/** A call that needs a key. */
interface NamedCall {
  readonly instance: unknown;
  readonly args: readonly unknown[];
  /** Class and method, for messages. */
  readonly place: string;
}

/** Makes the key, or the keys, of a call. */
interface MethodKey {
  /** Absent if a function makes the key. */
  readonly template: KeyTemplate | undefined;
  readonly names: (call: NamedCall, maxNames: number) => string | readonly string[];
}

/**
 * @param decorator The decorator as written in source: `@Locked`.
 * @throws LockNameError
 */
export const methodKey = (key: unknown, decorator: string): MethodKey => {
  if (isFunction(key)) {
    return {
      template: undefined,
      names: ({ instance, args, place }, maxNames) => namesFrom(key.apply(instance, [...args]), place, maxNames),
    };
  }
  if (typeof key !== 'string')
    throw new LockNameError(`${decorator} takes a key template or a key function, not ${formatValue(key)}`);
  const template = compileTemplate(key);
  return { template, names: ({ args }, maxNames) => template.render(args, maxNames) };
};

/**
 * With a default value or a rest parameter `length` is too small, so only the compiler's check applies.
 * @throws LockNameError
 */
export const assertArgumentsExist = (
  template: KeyTemplate,
  { target, name, original, place }: DecoratedMethod,
): void => {
  const declared: unknown = Reflect.getMetadata('design:paramtypes', target, name);
  if (!Array.isArray(declared) || declared.length !== original.length || template.highestIndex < declared.length)
    return;
  throw new LockNameError(
    `Key template "${template.text}" names argument <${template.highestIndex}>, but ${place} has ${declared.length}; the first is <0>`,
    { template: template.text },
  );
};
