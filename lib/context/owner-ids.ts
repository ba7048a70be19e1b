import { randomUUID } from 'node:crypto';

/** An owner id as stored in Redis: `<clientId>:<number>`, in the format of Redisson's `<clientId>:<threadId>`. */
export type OwnerId = string;

/** Position of the version digit in a UUID. */
const VERSION_AT = 14;

/**
 * Creates a client id: a UUID as Redisson's are, but of version 8 instead of 4. If owners of both wait for one lock,
 * this tells which of them keep reporting that they still wait.
 */
const newClientId = (): string => clientIdFrom(randomUUID().replaceAll('-', ''));

/** A client id of this library made of 32 hexadecimal digits, of which one gives way to the version. */
export const clientIdFrom = (hex: string): string => {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, hex.slice(16, 20), hex.slice(20, 32)];
  return parts.join('-');
};

/** Whether the owner belongs to this library, in any process. */
export const isOurs = (owner: OwnerId): boolean => owner[VERSION_AT] === '8';

/** The id of the client in that of an owner. */
export const clientIdOf = (owner: OwnerId): string => owner.slice(0, owner.lastIndexOf(':'));

/**
 * Generates a new owner id for each acquisition. To a Java peer each looks like another thread of another Redisson
 * instance.
 */
export class OwnerIds {
  private last = 0;

  /** @param clientId One random UUID per connection of the module. */
  constructor(readonly clientId: string = newClientId()) {}

  next(): OwnerId {
    this.last += 1;
    return `${this.clientId}:${this.last}`;
  }

  /**
   * For a place in the queue of a fair lock, which Redisson lets the locks `job` and `{job}` share: the numbers of owners
   * that wait for a name with braces are negative, so that none is given the other lock.
   */
  nextInQueue(name: string): OwnerId {
    const owner = this.next();
    return name.includes('{') ? owner.replace(/\d+$/, '-$&') : owner;
  }
}
