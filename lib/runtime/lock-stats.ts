import type { LockKindName } from '../events/life-cycle-events.js';
import type { Drainable } from '../waiting/acquirer.js';
import type { LockRuntime } from './lock-runtime.js';

/** The locks of one kind whose names come from one template. */
export interface TemplateStats {
  readonly kind: LockKindName;
  /** The key template, such as `order:<0>`; `undefined` for names given as text. */
  readonly template: string | undefined;
  /** The number of locks, or of permits with ids, that this process holds. */
  readonly held: number;
  /** The number of calls of this process that wait. */
  readonly waiting: number;
}

/** The locks that callers of one connection hold and wait for, in this process. */
export interface ConnectionStats {
  /** The name of the connection; `default` for the only one. */
  readonly connection: string;
  readonly held: number;
  readonly waiting: number;
  /** Milliseconds by which the watchdog is late; leases end if it exceeds two thirds of them. */
  readonly watchdogLag: number;
  /** The same by kind and template; only those that are held or waited for. */
  readonly templates: readonly TemplateStats[];
}

/** The locks that this process holds and waits for at this moment, see `LockService.stats()`. */
export interface LockStats {
  /**
   * The number of locks and of permits with ids that this process holds. Re-entries of a lock do not count, nor do permits
   * without ids, which belong to no process.
   */
  readonly held: number;
  /** The number of calls that wait for a lock or a permit. */
  readonly waiting: number;
  /** The largest {@link ConnectionStats.watchdogLag}. */
  readonly watchdogLag: number;
  /** One for each connection. */
  readonly connections: readonly ConnectionStats[];
}

type Counted = 'held' | 'waiting';
type Counts = Omit<TemplateStats, Counted> & Record<Counted, number>;

class Tally {
  private readonly counts = new Map<LockKindName, Map<string | undefined, Counts>>();

  add(counted: Counted, kind: LockKindName, template: string | undefined): void {
    const ofKind = this.counts.get(kind) ?? new Map<string | undefined, Counts>();
    this.counts.set(kind, ofKind);
    const counts = ofKind.get(template) ?? { kind, template, held: 0, waiting: 0 };
    ofKind.set(template, counts);
    counts[counted] += 1;
  }

  addWaiters(kind: LockKindName, acquirer: Drainable): void {
    for (const { template } of acquirer.waiters()) this.add('waiting', kind, template);
  }

  get templates(): readonly TemplateStats[] {
    return [...this.counts.values()].flatMap((ofKind) => [...ofKind.values()]);
  }
}

const sumOf = <K extends string>(all: readonly Readonly<Record<K, number>>[], field: K): number =>
  all.reduce((sum, { [field]: each }) => sum + each, 0);

const connectionStats = (runtime: LockRuntime): ConnectionStats => {
  const { connection, grants, kinds, permitsOut, semaphores, expirablePermits, watchdog } = runtime;
  const tally = new Tally();
  for (const { kind, origin } of grants) tally.add('held', kind.name, origin?.template);
  for (const { isHeld } of permitsOut) if (isHeld) tally.add('held', 'permitExpirableSemaphore', undefined);
  // Callers that take a lock over wait among those of its kind.
  const { limit, owned, replacing: _, ...others } = kinds;
  for (const { name, acquirer } of Object.values(others)) tally.addWaiters(name, acquirer);
  tally.addWaiters('limit', limit.acquirer);
  tally.addWaiters('reentrant', owned.acquirer);
  tally.addWaiters('semaphore', semaphores);
  tally.addWaiters('permitExpirableSemaphore', expirablePermits);
  const { templates } = tally;
  const [held, waiting] = [sumOf(templates, 'held'), sumOf(templates, 'waiting')];
  return { connection, held, waiting, watchdogLag: watchdog.lag, templates };
};

/** Counts what is held and waited for. Nothing is counted before, so that acquisitions cost nothing. */
export const statsOf = (runtimes: readonly LockRuntime[]): LockStats => {
  const connections = runtimes.map(connectionStats);
  return {
    held: sumOf(connections, 'held'),
    waiting: sumOf(connections, 'waiting'),
    watchdogLag: Math.max(0, ...connections.map(({ watchdogLag }) => watchdogLag)),
    connections,
  };
};
