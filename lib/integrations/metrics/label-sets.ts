import type { LockKindName } from '../../events/life-cycle-events.js';

/** The locks that a number is about. Never a single lock: there are as many names as orders, but few templates. */
export interface LockLabels {
  readonly connection: string;
  readonly kind: LockKindName;
  /** The key template; {@link NO_TEMPLATE} for names given as text, {@link OTHER_TEMPLATES} beyond the limit. */
  readonly template: string;
}

const NO_TEMPLATE = '(none)';
export const OTHER_TEMPLATES = '(other)';

/** Label sets of the locks of one kind on one connection, by template. */
interface KindSets<T> {
  readonly kind: LockKindName;
  readonly connection: string;
  readonly byTemplate: Map<string, T>;
  other: T | undefined;
}

/**
 * One value for each set of labels, of which there are at most a given number, and one more for each kind and connection
 * whose templates exceed it.
 */
export class LabelSets<T> implements Iterable<T> {
  private readonly all: T[] = [];
  private readonly kinds: KindSets<T>[] = [];
  /** Most events are about the locks of the event before. */
  private lastKind: KindSets<T> | undefined;
  private size = 0;

  /**
   * @param limit Most sets besides those of {@link OTHER_TEMPLATES}.
   * @param create Makes the value of a set that is seen for the first time.
   */
  constructor(
    private readonly limit: number,
    private readonly create: (labels: LockLabels) => T,
  ) {}

  of(connection: string, kind: LockKindName, template = NO_TEMPLATE): T {
    const sets = this.setsOf(connection, kind);
    return sets.byTemplate.get(template) ?? this.add(sets, template);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.all[Symbol.iterator]();
  }

  private setsOf(connection: string, kind: LockKindName): KindSets<T> {
    const { lastKind } = this;
    if (lastKind?.kind === kind && lastKind.connection === connection) return lastKind;
    let sets = this.kinds.find((each) => each.kind === kind && each.connection === connection);
    if (!sets) {
      sets = { kind, connection, byTemplate: new Map(), other: undefined };
      this.kinds.push(sets);
    }
    this.lastKind = sets;
    return sets;
  }

  private add(sets: KindSets<T>, template: string): T {
    if (this.size >= this.limit) return (sets.other ??= this.make(sets, OTHER_TEMPLATES));
    this.size += 1;
    const made = this.make(sets, template);
    sets.byTemplate.set(template, made);
    return made;
  }

  private make({ connection, kind }: KindSets<T>, template: string): T {
    const made = this.create({ connection, kind, template });
    this.all.push(made);
    return made;
  }
}
