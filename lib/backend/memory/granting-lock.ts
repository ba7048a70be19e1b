import type { OwnerId } from '../../context/owner-ids.js';
import { clientChannel } from '../../keys/redisson-keys.js';
import { parseGrant } from '../grant-text.js';
import type { GrantChannel, GrantingLockOperations, WaitOutcome, WaitRequest } from '../granting-lock-operations.js';
import type { WaitingEntry } from '../waiting-entry.js';
import { MemoryLock } from './lock.js';
import type { MemoryStore } from './memory-store.js';

/** The first lease of a grant, ms; there are no commands here that could time out. */
export const FIRST_LEASE = 3000;

/** The channel on which a client is sent its grants of a lock. */
export const memoryGrantChannel = (store: MemoryStore, name: string, clientId: string): GrantChannel => {
  const read = (message: string): ReturnType<GrantChannel['read']> => {
    const grant = parseGrant(message);
    if (!grant) return undefined;
    const { owner, lease, serverTime } = grant;
    return { owner, lease, sent: store.stopwatch(store.now() - serverTime) };
  };
  return { name: clientChannel(name, clientId), read };
};

/** The plain lock in memory, which clients give to one another. */
export class MemoryGrantingLock extends MemoryLock implements GrantingLockOperations {
  canWait(): boolean {
    return true;
  }

  grantChannel(name: string, clientId: string): GrantChannel {
    return memoryGrantChannel(this.store, name, clientId);
  }

  entryOf(owner: OwnerId, lease: number): WaitingEntry {
    return { owner, lease, firstLease: Math.min(lease, FIRST_LEASE) };
  }

  async wait({ name, entry, isNew }: WaitRequest): Promise<WaitOutcome> {
    const { owner, lease } = entry;
    const held = this.locks.get(name);
    // Executed late, it must not shorten what the owner has extended meanwhile.
    if (held?.owner === owner) return this.taken({ name, owner, lease: Math.max(lease, this.store.remaining(name)) });
    if (!isNew && !this.waiting.has(name, entry)) return { outcome: 'gone' };
    if (!held) {
      this.waiting.remove(name, entry);
      return this.taken({ name, owner, lease });
    }
    this.waiting.add(name, entry);
    return this.busy(name, held);
  }

  withdraw(name: string, entry: WaitingEntry): void {
    this.waiting.remove(name, entry);
    this.released({ name, owner: entry.owner });
  }
}
