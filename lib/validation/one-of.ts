import { formatValue } from './format-value.js';
import { invalidOption } from './options.js';

/** Parses one of the allowed values; the first is the default. */
export const oneOf = <T>(value: unknown, option: string, allowed: readonly [T, ...T[]]): T => {
  if (value === undefined) return allowed[0];
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw invalidOption(option, value, allowed.map((candidate) => formatValue(candidate)).join(' or '));
  return found;
};
