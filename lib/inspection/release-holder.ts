import { shownOwner } from '../context/chosen-owner.js';
import type { StoredHolder } from '../backend/kinds/inspection/inspection-operations.js';
import type { LockBackend } from '../backend/lock-backend.js';
import type { LockOperations, ReleaseRequest } from '../backend/lock-operations.js';
import type { LockKindName } from '../events/life-cycle-events.js';
import { groupLockName } from '../keys/group-field.js';

/** The hold that is to be released: that of the owner, and of no other. */
interface HolderToRelease {
  /** The full name. */
  readonly name: string;
  /** As applications know it. */
  readonly owner: string;
  /** Milliseconds for which a release without an answer is repeated. */
  readonly lease: number;
}

/** Lets the owner go, if the server finds that it holds the lock. */
const release = async (operations: LockOperations, request: ReleaseRequest): Promise<boolean> =>
  (await operations.release(request)).outcome !== 'not-held';

/** How an owner holds a lock: the kind, its operations, and the name that they know it by. */
type Held = readonly [LockKindName, LockOperations, string];

const heldAs = (backend: LockBackend, name: string, { mode, fields }: StoredHolder, hasQueue: boolean): Held => {
  if (mode === 'read') return ['read', backend.readLock, name];
  if (mode === 'write') return ['write', backend.writeLock, name];
  if (fields) return ['group', backend.groupLock, groupLockName(name, fields)];
  return hasQueue ? ['fair', backend.fairLock, name] : ['reentrant', backend.lock, name];
};

/**
 * Ends the hold of exactly this owner: the kind is read first, and then its own release compares the owner on the server,
 * and passes the lock on or wakes the waiters.
 * @returns The kind by which the owner held it, as far as the data tells; `undefined`: it did not.
 */
export const releaseHolder = async (
  backend: LockBackend,
  { name, owner, lease }: HolderToRelease,
): Promise<LockKindName | undefined> => {
  const isOwn = (holder: StoredHolder): boolean => shownOwner(holder.owner) === owner;
  const stored = await backend.inspection.lock(name);
  const held = stored.holders.filter(isOwn);
  let ended: LockKindName | undefined;
  // One after the other: the reads of a writer stay when it releases.
  for (const holder of held) {
    const [kind, operations, known] = heldAs(backend, name, holder, stored.queue.count > 0);
    if (await release(operations, { name: known, owner: holder.owner, lease })) ended = kind;
  }
  if (held.length > 0) return ended;
  if ((await backend.inspection.limit(name)).holders.some(isOwn)) {
    return (await release(backend.limit, { name, owner, lease })) ? 'limit' : undefined;
  }
  if (!(await backend.inspection.permits(name)).holders.some(isOwn)) return undefined;
  const released = await backend.permitExpirableSemaphore.release(name, owner);
  return released === 'released' ? 'permitExpirableSemaphore' : undefined;
};
