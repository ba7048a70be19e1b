import crypto from 'node:crypto';
import type { Rng } from '../../chaos/rng.js';

const hex = (rng: Rng, digits: number): string =>
  Array.from({ length: digits }, () => rng.whole(0, 15).toString(16)).join('');

/** Runs `work` with all random values of the library drawn from the seed, so that a run can be repeated. */
export const withChance = async <T>(rng: Rng, work: () => Promise<T>): Promise<T> => {
  const { random } = Math;
  const { randomUUID, randomBytes } = crypto;
  Math.random = () => rng.next();
  Object.assign(crypto, {
    randomUUID: () => `${hex(rng, 8)}-${hex(rng, 4)}-4${hex(rng, 3)}-a${hex(rng, 3)}-${hex(rng, 12)}`,
    randomBytes: (size: number) => Buffer.from(hex(rng, 2 * size), 'hex'),
  });
  try {
    return await work();
  } finally {
    Math.random = random;
    Object.assign(crypto, { randomUUID, randomBytes });
  }
};
