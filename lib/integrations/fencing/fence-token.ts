import { invalidOption } from '../../validation/options.js';

/** The greatest token: the greatest number to which Redis, Java and SQL's BIGINT count, less one. */
const MAX_FENCE = 2n ** 63n - 2n;

const WHOLE = /^(?:0|[1-9]\d{0,18})$/;

/** @throws LockOptionsError for a value that is no fencing token, as the `fence` of a hold without `fenced: true`. */
export const parseFence = (fence: unknown): bigint => {
  if (typeof fence === 'bigint' && fence > 0n && fence <= MAX_FENCE) return fence;
  throw invalidOption(
    'fence',
    fence,
    `a fencing token, a bigint from 1n to ${MAX_FENCE}n (take the lock with fenced: true)`,
  );
};

/** A token written as decimal text, without leading zeros; `undefined` for any other text. */
export const fenceFromText = (text: string): bigint | undefined => {
  if (!WHOLE.test(text)) return undefined;
  const fence = BigInt(text);
  return fence <= MAX_FENCE ? fence : undefined;
};

/** A non-empty name of what is written, for errors and for keys. */
export const parseResource = (resource: unknown): string => {
  if (typeof resource === 'string' && resource !== '') return resource;
  throw invalidOption('resource', resource, 'a non-empty string');
};

/**
 * A token as a database driver returns it.
 * @param place The column, for the message.
 */
export const storedFence = (stored: unknown, place: string): bigint => {
  const isExact = typeof stored === 'string' || typeof stored === 'bigint' || Number.isSafeInteger(stored);
  const fence = isExact ? fenceFromText(String(stored)) : undefined;
  if (fence !== undefined) return fence;
  throw invalidOption(place, stored, 'a fencing token from a BIGINT column, not rounded');
};
