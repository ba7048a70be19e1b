import type { Renewal } from '../../../lib/backend/lock-operations.js';

/** Parses owner, lease and `stride` − 2 further arguments for each name. */
export const renewalsOf = (
  names: string | readonly string[],
  holders: string | number | readonly (string | number)[],
  stride: number,
): readonly Renewal[] => {
  const flat = typeof holders === 'object' ? holders : [holders];
  const list = typeof names === 'object' ? names : [names];
  return list.map((name, index) => ({
    name,
    owner: String(flat[index * stride]),
    lease: Number(flat[index * stride + 1]),
  }));
};

/** What a script replies about renewals: 1 for each that was held. */
export const flagsOf = (held: readonly (boolean | undefined)[]): number[] => held.map((isHeld) => (isHeld ? 1 : 0));
