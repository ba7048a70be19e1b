import type { ShownTimes, ShownUse } from './dashboard-snapshot.types.js';
import type { LifeCycleEvent } from '../../events/life-cycle-events.js';
import type { Scheduler } from '../../time/scheduler.js';

/** Length of one period, ms, and how many of them are kept: five minutes. */
const PERIOD_MS = 5000;
const PERIODS = 60;

interface Period {
  /** Which one it is since the origin of the clock. */
  readonly number: number;
  count: number;
  sum: number;
  longest: number;
}

/** The times of the last five minutes, summed up in periods of five seconds: of bounded size, however many there are. */
export class RecentTimes {
  private readonly periods: Period[] = [];

  /** @param at Reading of a clock that never goes back, ms. */
  add(ms: number, at: number): void {
    const number = Math.floor(at / PERIOD_MS);
    let period = this.periods.at(-1);
    if (period?.number !== number) {
      period = { number, count: 0, sum: 0, longest: 0 };
      this.periods.push(period);
      if (this.periods.length > PERIODS) this.periods.shift();
    }
    period.count += 1;
    period.sum += ms;
    period.longest = Math.max(period.longest, ms);
  }

  shown(at: number): ShownTimes {
    const first = Math.floor(at / PERIOD_MS) - PERIODS + 1;
    const recent = this.periods.filter(({ number }) => number >= first);
    const bars = Array.from({ length: PERIODS }, () => -1);
    let [count, sum] = [0, 0];
    for (const period of recent) {
      bars[period.number - first] = Math.round(period.longest);
      count += period.count;
      sum += period.sum;
    }
    return { average: count === 0 ? 0 : Math.round(sum / count), longest: Math.max(0, ...bars), bars };
  }

  /** How many times there were in the last five minutes. */
  count(at: number): number {
    const first = Math.floor(at / PERIOD_MS) - PERIODS + 1;
    return this.periods.reduce((sum, { number, count }) => (number >= first ? sum + count : sum), 0);
  }
}

/** The texts between the placeholders of a template: `order:<0>:items` → `order:`, `:items`. */
const literalsOf = (template: string): readonly string[] => template.split(/<[^<>]*>/);

/** Whether a name can come from a template of these texts. Linear in the length of the name. */
const fits = (name: string, literals: readonly string[]): boolean => {
  const first = literals[0] ?? '';
  const last = literals.at(-1) ?? '';
  if (literals.length === 1) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const literal of literals.slice(1, -1)) {
    // A value has one character at least.
    const found = name.indexOf(literal, at + 1);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return name.endsWith(last) && name.length - last.length > at;
};

const MOST_TEMPLATES = 200;

/** Longer names have their end cut off in a title. */
const LONGEST_TITLE = 80;

/** Groups names by the templates that this process has seen, and other names by what they have in common. */
export class NameGroups {
  private readonly templates = new Map<string, readonly string[]>();

  /** @param prefix Prefix of all keys, which is not part of a name. */
  constructor(private readonly prefix: string) {}

  /** Remembers a template. The first 200 are kept: they are written in code, so there are few. */
  learn(template: string): void {
    if (this.templates.size >= MOST_TEMPLATES || this.templates.has(template)) return;
    this.templates.set(template, literalsOf(template));
  }

  /** The name of a key. */
  nameOf(key: string): string {
    return key.startsWith(this.prefix) ? key.slice(this.prefix.length) : key;
  }

  /** The title of the group of a name: the template with most text that fits, or `order:…`. */
  titleOf(name: string): string {
    let best: string | undefined;
    let most = -1;
    for (const [template, literals] of this.templates) {
      const text = literals.join('').length;
      if (text > most && fits(name, literals)) [best, most] = [template, text];
    }
    return best ?? commonPart(name);
  }
}

/** A tick of `@LockedCron`, with its planned time. */
const TICK = /@\d{4}-\d\d-\d\dT[\d:.]{12}Z$/;

/** `order:42:items` → `order:…:items`, `orders:berlin` → `orders:…`, `nightly@2026-11-24T02:00:00.000Z` → `nightly@<tick>`. */
const commonPart = (name: string): string => {
  if (TICK.test(name)) return name.replace(TICK, '@<tick>');
  const parts = name.split(':', 8);
  const hasNumbers = parts.some((part) => /\d/.test(part));
  const isValue = (part: string, index: number): boolean =>
    hasNumbers ? /\d/.test(part) : index > 0 && index === parts.length - 1;
  const title = parts.map((part, index) => (isValue(part, index) && parts.length > 1 ? '…' : part)).join(':');
  return title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE)}…` : title;
};

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
