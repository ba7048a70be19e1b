import { randomUUID, randomBytes } from 'node:crypto';

/** Who holds, as it stands in Redis: `<clientId>:<number>`, spelled like Redisson's `<clientId>:<threadId>`. */
export type OwnerId = string;

/** Where a UUID tells its version. */
const VERSION_AT = 14;

/**
 * A client of ours. It is a UUID like Redisson's, of version 8 instead of 4: where owners of both wait for one lock, one
 * can tell which of them still say that they do.
 */
const newClientId = (): string => {
  const id = randomUUID();
  return `${id.slice(0, VERSION_AT)}8${id.slice(VERSION_AT + 1)}`;
};

/** Whether the owner is one of this library, in whatever process. */
export const isOurs = (owner: OwnerId): boolean => owner[VERSION_AT] === '8';

/**
 * Gives every new acquisition an owner id of its own. To a Java peer each looks like one more thread of one more
 * Redisson instance.
 */
export class OwnerIds {
  private last = 0;

  /** @param clientId One random UUID per connection of the module. */
  constructor(readonly clientId: string = newClientId()) {}

  next(): OwnerId {
    this.last += 1;
    return `${this.clientId}:${this.last}`;
  }
}

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
