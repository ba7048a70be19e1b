/**
 * The tables and lists of the shop: a minimal database. Each call is atomic; between two calls others may come in, which
 * is why the shop needs locks.
 */
export abstract class ShopData {
  abstract read(table: string, row: string): Promise<string | undefined>;
  abstract readAll(table: string): Promise<ReadonlyMap<string, string>>;
  abstract write(table: string, row: string, value: string | number): Promise<void>;
  abstract remove(table: string, row: string): Promise<void>;
  /** Adds to a number, 0 if absent. Resolves with the sum. */
  abstract add(table: string, row: string, by: number): Promise<number>;
  /** Appends entries to a list. */
  abstract push(list: string, entries: readonly string[]): Promise<void>;
  /** Removes the first entry of a list; waits for one for a moment, else resolves with undefined. */
  abstract take(list: string): Promise<string | undefined>;
}

/** How long `take` waits, ms; shutdown may take as long. */
export const TAKE_MS = 200;
