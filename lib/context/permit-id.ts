import { randomBytes } from 'node:crypto';

/** One permit that is out: 32 hexadecimal digits in lower case; Redisson's, and its 16 bytes in Redis. */
export type PermitId = string;

/** At least one. */
export type PermitIds = readonly [PermitId, ...PermitId[]];

const SPELLING = /^[\da-f]{32}$/;

const newPermitId = (): PermitId => randomBytes(16).toString('hex');

/** Ids that nothing ever had: whoever asks for permits brings them along. */
export const newPermitIds = (count: number): PermitIds => [
  newPermitId(),
  ...Array.from({ length: count - 1 }, newPermitId),
];

export const isPermitId = (value: unknown): value is PermitId => typeof value === 'string' && SPELLING.test(value);
