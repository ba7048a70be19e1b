import { highwayHash128 } from './highway-hash.js';

const KEY = [0x9e3779b97f4a7c15n, 0xf39cc0605cedc834n, 0x1082276bf3a27251n, 0xf86c6a11d0c18e95n] as const;

/** Under which field of its group a value is locked: what Redisson makes of it with a string codec. */
export const groupField = (value: string): string =>
  highwayHash128(Buffer.from(value), KEY).toString('base64').slice(0, 22);

/** Some fields of one group as one name, `group[field,field]`: fields have neither brackets nor commas. */
export const groupLockName = (group: string, fields: readonly string[]): string => `${group}[${fields.join(',')}]`;

/** What {@link groupLockName} put together. */
export const partsOfGroupLock = (name: string): { readonly group: string; readonly fields: readonly string[] } => {
  const bracket = name.lastIndexOf('[');
  return { group: name.slice(0, bracket), fields: name.slice(bracket + 1, -1).split(',') };
};
