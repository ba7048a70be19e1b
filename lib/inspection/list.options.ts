import type { NameLimits } from '../keys/lock-name.js';
import { invalidOption, parseOptions, parseSignal } from '../validation/options.js';

/** Options of `locks.list()`. */
export interface ListOptions {
  /** Ends the iteration with the reason of the signal, before the next command. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How many keys a server looks at for one command: more is faster, and keeps the server longer from other work.
   * Default: 500; 1 … 10,000.
   */
  readonly batch?: number | undefined;
}

/** What is looked for. */
export interface ListSearch {
  readonly pattern: string;
  readonly batch: number;
  readonly signal: AbortSignal | undefined;
}

const BATCH = 500;
const MOST = 10_000;

/** A lone surrogate would become another character on the wire. */
const isSendable = (text: string, maxBytes: number): boolean => {
  const bytes = Buffer.from(text);
  return bytes.length <= maxBytes && bytes.toString() === text;
};

/** @throws LockOptionsError that names option and value. */
export const parseList = (pattern: unknown, options: ListOptions | undefined, { maxBytes }: NameLimits): ListSearch => {
  const { signal, batch = BATCH } = parseOptions(options, ['signal', 'batch'], { of: 'list' });
  if (typeof pattern !== 'string' || pattern === '' || !isSendable(pattern, maxBytes)) {
    throw invalidOption('pattern', pattern, `a glob such as "order:*", of at most ${maxBytes} bytes`);
  }
  if (typeof batch !== 'number' || !Number.isInteger(batch) || batch < 1 || batch > MOST) {
    throw invalidOption('batch', batch, `a whole number from 1 to ${MOST}`);
  }
  return { pattern, batch, signal: parseSignal(signal) };
};
