import { randomUUID } from 'node:crypto';

/** Who holds, as it stands in Redis: `<clientId>:<number>`, spelled like Redisson's `<clientId>:<threadId>`. */
export type OwnerId = string;

/**
 * Gives every new acquisition an owner id of its own. To a Java peer each looks like one more thread of one more
 * Redisson instance.
 */
export class OwnerIds {
  private last = 0;

  /** @param clientId One random UUID per connection of the module. */
  constructor(readonly clientId: string = randomUUID()) {}

  next(): OwnerId {
    this.last += 1;
    return `${this.clientId}:${this.last}`;
  }
}
