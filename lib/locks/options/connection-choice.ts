import { LockOptionsError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';

/** Name of the connection used if none is named. */
export const DEFAULT_CONNECTION_NAME = 'default';

/** Prints only values that are valid names: options, URLs and clients may contain passwords. */
export const refused = (rule: string, value: unknown): LockOptionsError => {
  const [found, details] = isConnectionName(value) ? [`, not ${formatValue(value)}`, { value }] : ['', {}];
  return new LockOptionsError(`connection must be ${rule}${found}`, { details: { option: 'connection', ...details } });
};

/** The module connection on which a lock lives. */
export interface ConnectionChoice {
  /**
   * One of the module's `connections`. Default: the connection of the service that is called; `default` for `@Locked`.
   */
  readonly connection?: string | undefined;
}

/** URLs are refused: they may contain a password, and names appear in logs and errors. */
export const isConnectionName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('://');

/** @throws LockOptionsError if the value is not a valid name. Whether the connection exists is checked later. */
export const parseConnectionName = (value: unknown): string | undefined => {
  if (value === undefined || isConnectionName(value)) return value;
  throw refused('the name of one of the module\'s "connections"', value);
};
