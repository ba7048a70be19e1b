import type { DashboardSnapshot, ShownGroup, ShownHolder, ShownLock, ShownLoss } from './dashboard-snapshot.types.js';
import type { InspectedHolder, InspectedLock } from '../../inspection/inspected-lock.js';
import { hostname } from 'node:os';
import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { messageOf } from '../../errors.js';
import type { Scheduler } from '../../time/scheduler.js';
import { formatValue } from '../../validation/format-value.js';
import { LiveFeed } from './live-feed.js';
import type { LockService } from '../../lock.service.js';
import { NameGroups, RecentUse, USE_EVENTS } from './recent-use.js';

const MOST_LOSSES = 50;

/** The latest losses of this process, the latest first. */
class LossHistory {
  private losses: readonly ShownLoss[] = [];

  add(loss: ShownLoss): void {
    this.losses = [loss, ...this.losses].slice(0, MOST_LOSSES);
  }

  get shown(): readonly ShownLoss[] {
    return this.losses;
  }
}

/** Holders and waiters of one lock beyond these are only counted. */
const MOST_HOLDERS = 20;
const MOST_WAITERS = 20;

/** Whether the lock is held or waited for. */
const isInUse = ({ state, waiting }: InspectedLock): boolean =>
  state === 'held' || state === 'reserved' || waiting.count > 0;

/** A lock as the page shows it. */
const shownLock = (lock: InspectedLock): ShownLock => {
  const holders = lock.holders.slice(0, MOST_HOLDERS);
  return {
    name: lock.name,
    kind: lock.kind,
    state: lock.state,
    holders: holders.map(shownHolder),
    moreHolders: Math.max(0, lock.holderCount - holders.length),
    waiting: lock.waiting.count,
    order: (lock.waiting.order ?? []).slice(0, MOST_WAITERS).map(({ owner }) => owner),
    counts: countsOf(lock),
    problem: lock.problem,
  };
};

const shownHolder = ({ owner, mode, count, remaining, isThisProcess, record }: InspectedHolder): ShownHolder => ({
  owner,
  mode,
  count,
  remaining,
  isThisProcess,
  ...record,
});

const countsOf = ({ permits, count }: InspectedLock): string | undefined => {
  if (count !== undefined) return count === 1 ? '1 count left' : `${count} counts left`;
  if (permits === undefined) return undefined;
  const { inUse, total, available } = permits;
  if (inUse !== undefined && total !== undefined) return `${inUse} of ${total} permits in use`;
  return available === 1 ? '1 permit available' : `${available} permits available`;
};

const NAME = 'name';

/** Collects what the page shows, and releases locks for it. */
export class Dashboard implements OnModuleDestroy {
  readonly feed: LiveFeed;
  private readonly logger = new Logger('LockDashboardModule');
  private readonly names: NameGroups;
  private readonly use: RecentUse;
  private readonly losses = new LossHistory();
  private readonly stops: readonly (() => void)[];

  constructor(
    private readonly locks: Pick<LockService, 'getLock' | 'list' | 'onEvent' | 'releaseHolder'>,
    private readonly settings: {
      readonly connection: string;
      readonly refresh: number;
      readonly maxLocks: number;
    },
    readonly clock: Scheduler,
  ) {
    this.names = new NameGroups(locks.getLock(NAME).name.slice(0, -NAME.length));
    this.use = new RecentUse(this.names, clock);
    this.feed = new LiveFeed(() => this.look(), settings.refresh, clock);
    // The service of the default connection hears the events of all connections.
    const isShown = (event: { readonly connection: string }): boolean => event.connection === settings.connection;
    this.stops = [
      locks.onEvent(USE_EVENTS, (event) => {
        if (isShown(event)) this.use.record(event);
      }),
      locks.onEvent(['lost', 'force-released'], (event) => {
        if (!isShown(event)) return;
        this.losses.add({
          at: Date.now(),
          name: this.names.nameOf(event.lockName),
          what: event.type === 'lost' ? event.reason : 'this process released it by force',
          owner: event.type === 'lost' ? event.owner : undefined,
          method: event.method,
        });
      }),
    ];
  }

  /**
   * Releases the lock if this owner still holds it.
   * @param by The caller, for the log.
   */
  async release(name: string, owner: string, by: string): Promise<boolean> {
    const isReleased = await this.locks.releaseHolder(name, owner);
    if (isReleased) {
      this.logger.warn(
        `Lock ${formatValue(name)} was taken from its holder ${formatValue(owner)} by the dashboard, for ${formatValue(by)}; ` +
          'check what the holder was doing',
      );
    }
    return isReleased;
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
    this.feed.close();
  }

  private async look(): Promise<DashboardSnapshot> {
    const found: ShownLock[] = [];
    let hasMore = false;
    let problem: string | undefined;
    try {
      for await (const lock of this.locks.list()) {
        if (!isInUse(lock)) continue;
        hasMore = found.length === this.settings.maxLocks;
        if (hasMore) break;
        found.push(shownLock(lock));
      }
    } catch (error) {
      problem = messageOf(error);
    }
    return {
      at: Date.now(),
      process: { host: hostname(), pid: process.pid },
      groups: problem === undefined ? this.grouped(found) : [],
      hasMore,
      losses: this.losses.shown,
      problem,
    };
  }

  /** In the order of titles and names: rows must not change places while they are read. */
  private grouped(locks: readonly ShownLock[]): readonly ShownGroup[] {
    const uses = this.use.shown();
    const groups = new Map<string, ShownLock[]>([...uses.keys()].map((title) => [title, []]));
    for (const lock of locks) {
      const title = this.names.titleOf(lock.name);
      const group = groups.get(title);
      if (group) group.push(lock);
      else groups.set(title, [lock]);
    }
    return [...groups]
      .map(([title, members]) => ({ title, locks: members.toSorted(byName), use: uses.get(title) }))
      .toSorted((a, b) => compare(a.title, b.title));
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const byName = (a: ShownLock, b: ShownLock): number => compare(a.name, b.name) || compare(a.kind, b.kind);
