import type { Locking } from '../shop.settings.js';

/** One thing that locks do, as it was seen in shops without and with them. */
export interface Chapter {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** What the table shows, in words. */
  readonly remarks: readonly string[];
  /** What must not happen with locks, or at all; a sentence for each that did. */
  readonly complaints: readonly string[];
}

export type Cell = string | number;

/** Something that was seen in the shops that it was looked for in. */
export type Seen<T> = readonly (readonly [locking: Locking, seen: T])[];

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
