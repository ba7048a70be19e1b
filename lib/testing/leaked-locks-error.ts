import { formatValue } from '../validation/format-value.js';
import type { Side } from './test-connection.js';

/** A hold in a test, of a lock or of a permit with an id. */
export interface TestHolder {
  /** Without the prefix of the connection. */
  readonly name: string;
  readonly side: Side;
  readonly connection: string;
  /** The kind: plain, fair, spin and fenced locks are all `exclusive`. */
  readonly kind: 'exclusive' | 'read' | 'write' | 'quorum' | 'group' | 'limit' | 'permit';
  /** The owner id, or the id of the permit. */
  readonly owner: string;
  /** The method that acquired it: `@Locked OrderService.pay`. `undefined`: code that called `LockService`. */
  readonly method: string | undefined;
}

/** An acquisition that waits in a test. */
export interface TestWaiter {
  /** Without the prefix of the connection. */
  readonly name: string;
  readonly side: Side;
  readonly connection: string;
  /** What is waited for, as in error messages: `Lock`, `Semaphore`. */
  readonly what: string;
}

const held = ({ name, kind, method }: TestHolder): string =>
  `holds ${formatValue(name)} (${kind}${method === undefined ? '' : `, ${method}`})`;

const waited = ({ name }: TestWaiter): string => `waits for ${formatValue(name)}`;

/** The application still holds locks, or waits for some, where a test expected neither. */
export class LeakedLocksError extends Error {
  override readonly name = 'LeakedLocksError';

  constructor(
    readonly holders: readonly TestHolder[],
    readonly waiters: readonly TestWaiter[],
  ) {
    const found = [...holders.map(held), ...waiters.map(waited)].join('; ');
    super(`The application still ${found}. Await the work that holds it, and release every hold`);
  }
}
