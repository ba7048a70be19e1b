import type { LockBackend } from '../backend/lock-backend.js';
import type { LockOperations } from '../backend/lock-operations.js';
import type { OwnerIds } from '../context/owner-ids.js';
import type { HeldLock } from '../deadlock/blocked-hold.js';
import { DeadlockWatch } from '../deadlock/deadlock-watch.js';
import { LockOrder } from '../deadlock/lock-order.js';
import type { LockEvents } from '../events/lock-events.js';
import type { LockFamily } from '../holds/lock-kind.js';
import type { NestingServices } from '../reentrancy/nested-acquisition.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { ConnectionSettings } from './options/lock-settings.js';

interface Parts {
  readonly backend: LockBackend;
  /** Independent masters, if configured. */
  readonly masters: { readonly lock: LockOperations } | undefined;
  readonly scheduler: MonotonicScheduler;
  readonly owners: OwnerIds;
  readonly events: LockEvents;
  /** The name of the connection. */
  readonly connection: string;
}

/** What looks at the callers of one connection that hold locks and acquire others, as far as the settings want it. */
export const deadlockServices = (
  { deadlocks, lockOrder, target }: ConnectionSettings,
  { backend, masters, scheduler, owners: { clientId }, events, connection }: Parts,
): Pick<NestingServices, 'deadlocks' | 'lockOrder'> => {
  const operations: Readonly<Record<LockFamily, Pick<LockOperations, 'inspect'> | undefined>> = {
    exclusive: backend.lock,
    read: backend.readLock,
    write: backend.writeLock,
    quorum: masters?.lock,
    group: backend.groupLock,
    limit: backend.limit,
  };
  const isHeld = async ({ family, name, owner }: HeldLock): Promise<boolean> =>
    ((await operations[family]?.inspect(name, owner))?.count ?? 0) > 0;
  const records = backend.blockedHolds;
  // Without a server of its own, a connection has no place for records.
  const isWatched = deadlocks === 'detect' && target.kind !== 'none';
  return {
    deadlocks: isWatched ? new DeadlockWatch({ scheduler, events, records, clientId, isHeld }) : undefined,
    lockOrder: lockOrder === 'off' ? undefined : new LockOrder(events, connection, lockOrder),
  };
};
