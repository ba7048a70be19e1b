import { randomBytes } from 'node:crypto';

/** Id of one acquired permit: 32 lower-case hexadecimal digits, as in Redisson; its 16 bytes in Redis. */
export type PermitId = string;

/** One permit id or more. */
export type PermitIds = readonly [PermitId, ...PermitId[]];

const SPELLING = /^[\da-f]{32}$/;

const newPermitId = (): PermitId => randomBytes(16).toString('hex');

/** New unique ids: the client generates them and sends them with its request for permits. */
export const newPermitIds = (count: number): PermitIds => [
  newPermitId(),
  ...Array.from({ length: count - 1 }, newPermitId),
];

export const isPermitId = (value: unknown): value is PermitId => typeof value === 'string' && SPELLING.test(value);
