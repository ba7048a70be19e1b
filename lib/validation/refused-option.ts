import { LockOptionsError } from '../errors.js';
import { formatValue } from './format-value.js';

/** An option that cannot be used: what it must be, and what it was. */
export const invalidOption = (option: string, value: unknown, rule: string, cause?: unknown): LockOptionsError =>
  new LockOptionsError(`${option} must be ${rule}, not ${formatValue(value)}`, { details: { option, value }, cause });
