import { LockOptionsError } from '../errors.js';
import { describe } from './format-value.js';

/** An option that cannot be used: what it must be, and what it was. */
export const refusedOption = (option: string, value: unknown, rule: string, cause?: unknown): LockOptionsError =>
  new LockOptionsError(`${option} must be ${rule}, not ${describe(value)}`, { details: { option, value }, cause });
