import { highwayHash128 } from './highway-hash.js';

const KEY = [0x9e3779b97f4a7c15n, 0xf39cc0605cedc834n, 0x1082276bf3a27251n, 0xf86c6a11d0c18e95n] as const;

/** The hash field of a value in its group, as Redisson computes it with a string codec. */
export const groupField = (value: string): string =>
  highwayHash128(Buffer.from(value), KEY).toString('base64').slice(0, 22);

/** The name of several fields of a group, `group[field,field]`: fields contain neither brackets nor commas. */
export const groupLockName = (group: string, fields: readonly string[]): string => `${group}[${fields.join(',')}]`;

/** Splits a name made by {@link groupLockName}. */
export const partsOfGroupLock = (name: string): { readonly group: string; readonly fields: readonly string[] } => {
  const bracket = name.lastIndexOf('[');
  return { group: name.slice(0, bracket), fields: name.slice(bracket + 1, -1).split(',') };
};
