import { StaleFenceError } from '../../errors.js';
import { invalidOption, namesOf, parseOptions } from '../../validation/options.js';
import { parseFence, parseResource, storedFence } from './fence-token.js';

export interface SqlFenceOptions {
  /** Description of the row, for errors: `ledger 42`. */
  readonly resource: string;
  /** How the statement writes the parameter: `$3` for plain `pg`, `:fence` for TypeORM. */
  readonly placeholder: `$${number}` | `:${string}`;
  /** Column of type BIGINT with the fence of the last write; null in a row that was never written. Default: `fence`. */
  readonly column?: string;
}

/** A value of the column, as drivers return it; `undefined` if there is no such row. */
export type StoredFence = bigint | string | number | null | undefined;

/** The parts of an UPDATE that only a current holder may make. */
export interface SqlFence {
  readonly fence: bigint;
  /** The value of the parameter: decimal text, which drivers pass to a BIGINT without loss. */
  readonly value: string;
  /** The value under the name of the placeholder, for query builders; empty for `$3`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** For SET: `fence = $3`. */
  readonly set: string;
  /** For WHERE: `(fence IS NULL OR fence <= $3)`. */
  readonly where: string;
  /**
   * Checks the outcome of the statement.
   * @param updated Number of updated rows.
   * @param lastFence Reads the column again, in a new statement. Called only if no row was updated.
   * @returns Whether a row was updated; false if there is none, or if another condition of the statement left it out.
   * @throws StaleFenceError if a later holder has written the row.
   */
  confirm(updated: number | null | undefined, lastFence: () => StoredFence | Promise<StoredFence>): Promise<boolean>;
}

const OPTIONS = namesOf<SqlFenceOptions>()('resource', 'placeholder', 'column');
const PLACEHOLDER = /^(?:\$[1-9]\d{0,4}|:[A-Za-z_]\w*)$/;
const COLUMN = /^(?:[A-Za-z_]\w*|"[A-Za-z_]\w*")$/;

/**
 * Guards an UPDATE by a fencing token: the row is written only if no later holder of the lock has written it. The
 * database compares and writes in one statement, so that the guard holds however late the statement arrives.
 *
 * @throws LockOptionsError for a value that is no fencing token, and for wrong options.
 *
 * @example
 * const fenced = sqlFence(hold.fence, { resource: `ledger ${id}`, placeholder: '$3' });
 * const { rowCount } = await pool.query(
 *   `UPDATE ledger SET balance = $1, ${fenced.set} WHERE id = $2 AND ${fenced.where}`,
 *   [balance, id, fenced.value],
 * );
 * const last = async () => (await pool.query('SELECT fence FROM ledger WHERE id = $1', [id])).rows[0]?.fence;
 * if (!(await fenced.confirm(rowCount, last))) throw new NotFoundException();
 */
export const sqlFence = (token: bigint, options: SqlFenceOptions): SqlFence => {
  const fence = parseFence(token);
  const { resource: name, placeholder, column = 'fence' } = parseOptions(options, OPTIONS, { of: 'sqlFence' });
  const resource = parseResource(name);
  if (!isText(placeholder, PLACEHOLDER)) throw invalidOption('placeholder', placeholder, 'such as "$3" or ":fence"');
  if (!isText(column, COLUMN)) throw invalidOption('column', column, 'the name of a column');
  const value = String(fence);
  return {
    fence,
    value,
    parameters: placeholder.startsWith(':') ? { [placeholder.slice(1)]: value } : {},
    set: `${column} = ${placeholder}`,
    where: `(${column} IS NULL OR ${column} <= ${placeholder})`,
    async confirm(updated, lastFence) {
      if (typeof updated !== 'number') throw invalidOption('updated', updated, 'the number of updated rows');
      if (updated > 0) return true;
      const stored = await lastFence();
      if (stored === undefined || stored === null) return false;
      const last = storedFence(stored, `column ${column} of ${resource}`);
      if (last > fence) throw new StaleFenceError(resource, fence, last);
      return false;
    },
  };
};

const isText = (value: unknown, grammar: RegExp): value is string => typeof value === 'string' && grammar.test(value);
