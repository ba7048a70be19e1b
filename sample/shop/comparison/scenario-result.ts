import type { Locking } from '../shop.settings.js';

/** The result of one scenario, without locks and with them. */
export interface ScenarioResult {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Conclusions from the table. */
  readonly remarks: readonly string[];
  /** One sentence for each thing that must not happen with locks, or must not happen at all. */
  readonly failures: readonly string[];
}

export type Cell = string | number;

/** Observations, by the locking of the shop. */
export type ByLocking<T> = readonly (readonly [locking: Locking, seen: T])[];

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
