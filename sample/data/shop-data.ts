/**
 * The tables and lists of the shop: a database as plain as can be. Each call is one step; between two of them others come
 * in, and that is what the locks are for.
 */
export abstract class ShopData {
  abstract read(table: string, row: string): Promise<string | undefined>;
  abstract readAll(table: string): Promise<ReadonlyMap<string, string>>;
  abstract write(table: string, row: string, value: string | number): Promise<void>;
  abstract remove(table: string, row: string): Promise<void>;
  /** Adds to a number, which is 0 where there is none. Resolves with the sum. */
  abstract add(table: string, row: string, by: number): Promise<number>;
  /** Puts entries at the end of a list. */
  abstract push(list: string, entries: readonly string[]): Promise<void>;
  /** Takes the first entry of a list; waits for one for a moment, and resolves with undefined where none has come. */
  abstract take(list: string): Promise<string | undefined>;
}

/** How long `take` waits, ms: what a process that closes has to wait for it. */
export const TAKE_MS = 200;
