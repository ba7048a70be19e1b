import type { NameLimits } from '../keys/lock-name.js';
import { invalidOption, namesOf, parseOptions, parseSignal } from '../validation/options.js';
import type { FoundName, StoredState } from '../backend/kinds/inspection/inspection-operations.js';
import type { LockKindName } from '../events/life-cycle-events.js';
import { globOf } from '../keys/glob.js';
import type { ListedLock } from './inspected-lock.js';
import { inspectedState, type InspectionServices, ownersOf, type OwnIds } from './inspected-state.js';
import { inspectedLimit, inspectedPermits } from './inspect-lock.js';

/** Options of `locks.list()`. */
export interface ListOptions {
  /** Ends the iteration with the reason of the signal, before the next command. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How many keys a server looks at for one command: more is faster, and keeps the server longer from other work.
   * Default: 500; 1 … 10,000.
   */
  readonly batch?: number | undefined;
}

const OPTIONS = namesOf<ListOptions>()('signal', 'batch');

/** The locks that are looked for. */
interface ListSearch {
  readonly pattern: string;
  readonly batch: number;
  readonly signal: AbortSignal | undefined;
}

const BATCH = 500;
const MOST = 10_000;

/** A lone surrogate would become another character on the wire. */
const isSendable = (text: string, maxBytes: number): boolean => {
  const bytes = Buffer.from(text);
  return bytes.length <= maxBytes && bytes.toString() === text;
};

/** @throws LockOptionsError that names option and value. */
export const parseList = (pattern: unknown, options: ListOptions | undefined, { maxBytes }: NameLimits): ListSearch => {
  const { signal, batch = BATCH } = parseOptions(options, OPTIONS, { of: 'list' });
  if (typeof pattern !== 'string' || pattern === '' || !isSendable(pattern, maxBytes)) {
    throw invalidOption('pattern', pattern, `a glob such as "order:*", of at most ${maxBytes} bytes`);
  }
  if (typeof batch !== 'number' || !Number.isInteger(batch) || batch < 1 || batch > MOST) {
    throw invalidOption('batch', batch, `a whole number from 1 to ${MOST}`);
  }
  return { pattern, batch, signal: parseSignal(signal) };
};

/** The services that an iteration over the locks of one connection needs. */
interface ListServices extends InspectionServices {
  /** The text with which names begin. */
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

/** The lock that is stored under a name that was found. */
const inspectFound = async (services: ListServices, { name, key, what }: FoundName): Promise<ListedLock> => {
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
