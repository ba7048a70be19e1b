import { invalidOption } from '../validation/refused-option.js';

/** What a number of things may be, both ends included. */
export interface CountRange {
  readonly min: number;
  readonly max: number;
}

/**
 * A number of permits, or of things to count down.
 * @param option The word for it, for the message.
 * @throws LockOptionsError naming the value.
 */
export const parseCount = (value: unknown, option: string, { min, max }: CountRange): number => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw invalidOption(option, value, `a whole number from ${min} to ${max}`);
  }
  // Turns -0 into 0.
  return value + 0;
};
