import type { FoundName, StoredState } from '../backend/inspection-operations.js';
import type { LockKindName } from '../events/life-cycle-events.js';
import { globOf } from '../keys/glob.js';
import type { ListedLock } from './inspected-lock.js';
import { inspectedState, type InspectionServices, type OwnIds, ownersOf } from './inspected-state.js';
import { inspectedLimit } from './inspect-lock.js';
import { inspectedPermits } from './inspect-synchronizer.js';
import type { ListSearch } from './list.options.js';

/** What an iteration over the locks of one connection needs. */
export interface ListServices extends InspectionServices {
  /** What names begin with. */
  readonly keyPrefix: string;
  /** The permits with ids of this process. */
  readonly permits: OwnIds;
}

/** How many names are read at once. */
const AT_ONCE = 50;

/** The kind, as far as the data tells: a plain, a spin and a non-reentrant lock have the same. */
const kindOf = ({ shape, queue, fence }: StoredState): LockKindName => {
  if (shape === 'read' || shape === 'write' || shape === 'group') return shape;
  if (queue.count > 0) return 'fair';
  return fence === undefined ? 'reentrant' : 'fenced';
};

/** What is stored under a name that was found. */
export const inspectFound = async (services: ListServices, { name, key, what }: FoundName): Promise<ListedLock> => {
  const { inspection } = services.backend;
  const own = ownersOf(services.owners);
  const shown = name.slice(services.keyPrefix.length);
  if (what === 'limit') return { ...inspectedLimit(shown, await inspection.limit(name), own), key };
  if (what === 'permits') {
    return { ...inspectedPermits(shown, await inspection.permits(name), services.permits), key };
  }
  const stored = await inspection.lock(name);
  return { ...inspectedState(shown, kindOf(stored), stored, own), key };
};

/** Everything that is held now, by the names that match the pattern: see `LockService.list`. */
export async function* listLocks(
  services: ListServices,
  { pattern, batch, signal }: ListSearch,
): AsyncGenerator<ListedLock, void, undefined> {
  const listed = new Set<string>();
  const search = { pattern: globOf(services.keyPrefix) + pattern, batch };
  signal?.throwIfAborted();
  for await (const found of services.backend.inspection.names(search)) {
    for (let at = 0; at < found.length; at += AT_ONCE) {
      signal?.throwIfAborted();
      const inspected = found.slice(at, at + AT_ONCE).map((name) => inspectFound(services, name));
      for (const lock of await Promise.all(inspected)) {
        // SCAN may name a key twice.
        if (lock.state !== 'held' || listed.has(lock.key)) continue;
        listed.add(lock.key);
        yield lock;
        signal?.throwIfAborted();
      }
    }
    signal?.throwIfAborted();
  }
}
