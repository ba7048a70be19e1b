import type { LifeCycleEvent } from '../../events/life-cycle-events.js';
import type { Scheduler } from '../../time/scheduler.js';
import type { ShownUse } from './dashboard-snapshot.types.js';
import type { NameGroups } from './name-groups.js';
import { RecentTimes } from './recent-times.js';

/** The types of event that tell how locks are used. */
export const USE_EVENTS = ['acquired', 'released', 'handed-over', 'timed-out', 'conflict'] as const;

export type UseEvent = Extract<LifeCycleEvent, { readonly type: (typeof USE_EVENTS)[number] }>;

/** Groups beyond these replace the one that was not used for longest. */
const MOST_GROUPS = 100;

class GroupUse {
  lastUsed = 0;
  readonly waited = new RecentTimes();
  readonly contended = new RecentTimes();
  readonly refused = new RecentTimes();
  readonly held = new RecentTimes();
}

/** The use that this process makes of locks, by group of names; of the last minutes. */
export class RecentUse {
  private readonly groups = new Map<string, GroupUse>();

  constructor(
    private readonly names: NameGroups,
    private readonly clock: Pick<Scheduler, 'now'>,
  ) {}

  record(event: UseEvent): void {
    if (event.template !== undefined) this.names.learn(event.template);
    const now = this.clock.now();
    const group = this.groupOf(event.template ?? this.names.titleOf(this.names.nameOf(event.lockName)));
    group.lastUsed = now;
    switch (event.type) {
      case 'acquired':
        group.waited.add(event.waited, now);
        if (event.isContended) group.contended.add(event.waited, now);
        break;
      case 'released':
      case 'handed-over':
        if (event.heldFor !== undefined) group.held.add(event.heldFor, now);
        break;
      case 'timed-out':
        group.refused.add(event.waited, now);
        break;
      case 'conflict':
        group.refused.add(0, now);
        break;
      default:
        event satisfies never;
    }
  }

  /** The groups that were used in the last minutes, by title. */
  shown(): ReadonlyMap<string, ShownUse> {
    const now = this.clock.now();
    const shown = new Map<string, ShownUse>();
    for (const [title, { waited, contended, refused, held }] of this.groups) {
      const use = {
        acquired: waited.count(now),
        contended: contended.count(now),
        refused: refused.count(now),
        waited: waited.shown(now),
        held: held.shown(now),
      };
      if (use.acquired + use.refused + held.count(now) > 0) shown.set(title, use);
    }
    return shown;
  }

  private groupOf(title: string): GroupUse {
    const found = this.groups.get(title);
    if (found) return found;
    if (this.groups.size >= MOST_GROUPS) this.forgetOldest();
    const group = new GroupUse();
    this.groups.set(title, group);
    return group;
  }

  private forgetOldest(): void {
    let oldest: string | undefined;
    let lastUsed = Number.POSITIVE_INFINITY;
    for (const [title, group] of this.groups) {
      if (group.lastUsed < lastUsed) [oldest, lastUsed] = [title, group.lastUsed];
    }
    if (oldest !== undefined) this.groups.delete(oldest);
  }
}
