import type { ListedLock } from '../inspection/inspected-lock.js';
import { listLocks } from '../inspection/list-locks.js';
import { type ListOptions, parseList } from '../inspection/list.options.js';
import { releaseHolder } from '../inspection/release-holder.js';
import type { NameLimits } from '../keys/lock-name.js';
import { storedName } from '../locks/full-name.js';
import { invalidOption } from '../validation/options.js';
import { LockGetters } from './lock-getters.js';
import type { LockRuntime } from './lock-runtime.js';
import { type LockStats, statsOf } from './lock-stats.js';

/** Other processes, and Java, may allow more than this one does. */
const GIVEN_BY_OTHERS: NameLimits = { maxBytes: Number.POSITIVE_INFINITY, allowControlCharacters: true };

/** The methods of `LockService` that tell who holds what, and who waits for it. */
export abstract class LockObservation extends LockGetters {
  /**
   * The connections that are observed.
   * @internal
   */
  protected readonly seen: readonly LockRuntime[];

  /** Created by `RedisLockModule` and `createLocks()`. */
  constructor(services: never);
  /** @internal */
  constructor(runtime: LockRuntime, seen: readonly LockRuntime[]);
  constructor(runtime: LockRuntime, seen: readonly LockRuntime[] = [runtime]) {
    super(runtime);
    this.seen = seen;
  }

  /**
   * The locks that this process holds and waits for now, by connection, kind and template, and how late its watchdog is. Local,
   * without a round trip: of other processes, `inspect()` knows. Covers all connections; a service made by
   * `forConnection()` covers only its own.
   */
  stats(): LockStats {
    return statsOf(this.seen);
  }

  /**
   * All that is held now on this connection, by whatever process, also of Redisson: locks of every kind, limits and
   * semaphores whose permits have ids. Found by SCAN on every master of a cluster, in small steps, so that no server is
   * blocked; each lock is then read in one step. What is locked or released meanwhile may be listed or not. Not listed:
   * locks of `getRedLock(name)`, which are on other servers, and semaphores and latches, whose data nothing tells from
   * other numbers.
   * @param pattern A glob on the names, as for `getLock()`: `*`, `?`, `[a-z]`, and `\` before a character that is none of
   *   these. Default: `*`.
   * @throws LockOptionsError at once; the iteration: LockUnavailableError, also without the right to `SCAN`, and the
   *   reason of `signal`.
   *
   * @example
   * for await (const { name, holders } of locks.list('order:*')) console.log(name, holders);
   */
  list(pattern = '*', options?: ListOptions): AsyncIterable<ListedLock> {
    const { backend, owners, defaults, permitsOut } = this.runtime;
    const search = parseList(pattern, options, defaults.names);
    return listLocks({ backend, owners, keyPrefix: defaults.keyPrefix, permits: permitsOut }, search);
  }

  /**
   * Ends the hold that exactly this owner has on a lock, limit or semaphore whose permits have ids, and passes it on or
   * wakes the waiters, as its own release does. The server compares the owner, so a lock that another owner has by now
   * stays as it is. The process of the owner notices at its next renewal; a holder in this process stops at once. Finds
   * an owner among the first 1000 holders of a name.
   * @param name As of `list()`: also longer than `maxNameBytes`, or with control characters, which others may have used.
   * @param owner As of an inspection: the owner id, or the id of a permit.
   * @returns Whether that owner held it.
   * @throws LockNameError, LockOptionsError, LockUnavailableError
   */
  async releaseHolder(name: string, owner: string): Promise<boolean> {
    const { backend, connection, defaults, events, grants, watchdog } = this.runtime;
    const lockName = storedName(name, { ...defaults, names: GIVEN_BY_OTHERS });
    if (typeof owner !== 'string' || owner === '') throw invalidOption('owner', owner, 'an owner id of an inspection');
    const kind = await releaseHolder(backend, { name: lockName, owner, lease: watchdog.timeout });
    const type = 'force-released';
    if (kind !== undefined && events.hears(type)) {
      events.emit({ type, connection, kind, lockName, template: undefined, method: undefined });
    }
    const own = [...grants].filter((grant) => grant.owner === owner);
    await Promise.all(own.map((grant) => grant.verify()));
    return kind !== undefined;
  }
}
