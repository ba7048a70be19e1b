import { LockOrderError } from '../errors.js';
import type { LockEvents } from '../events/lock-events.js';
import type { LockFamily } from '../holds/lock-kind.js';

/** The reaction to two locks that are acquired in both orders. */
export type OnInversion = 'warn' | 'throw';

/** A lock as the order of locks knows it. */
export interface OrderedLock {
  readonly family: LockFamily;
  readonly name: string;
  /** The key template that produced the name, if any: all its names have one place in the order. */
  readonly template: string | undefined;
}

/** Most pairs that are remembered, and most names without a template in them. Later ones are not checked. */
const MOST_PAIRS = 10_000;
const MOST_NAMES = 1000;

/** Keys contain no line break: names allow no control characters unless that is asked for, and then it is only a label. */
const SEPARATOR = '\n';

const labelOf = ({ name, template }: OrderedLock): string => template ?? name;

/** Two readers do not block each other. */
const areReads = (held: OrderedLock, wanted: OrderedLock): boolean =>
  held.family === 'read' && wanted.family === 'read';

/**
 * Remembers in which order the code of this process acquires locks, by template, and reports pairs that it acquires in
 * both orders, also if nothing had to wait. Meant for development: it sees a possible deadlock in the first test that
 * runs both ways, one after the other.
 */
export class LockOrder {
  /** The method that first acquired a pair in this order. */
  private readonly pairs = new Map<string, string | undefined>();
  private readonly names = new Set<string>();
  private readonly reported = new Set<string>();

  constructor(
    private readonly events: LockEvents,
    /** The name of the connection. */
    private readonly connection: string,
    private readonly onInversion: OnInversion,
  ) {}

  /**
   * Called before code that holds locks acquires another one and may wait for it.
   * @returns With `throw`, the error of the first pair that is inverted, if any is.
   */
  check(held: Iterable<OrderedLock>, wanted: OrderedLock, method: string | undefined): LockOrderError | undefined {
    let error: LockOrderError | undefined;
    for (const outer of held) if (!areReads(outer, wanted)) error ??= this.checkPair(outer, wanted, method);
    return error;
  }

  private checkPair(outer: OrderedLock, wanted: OrderedLock, method: string | undefined): LockOrderError | undefined {
    // Of one template only the names have an order.
    const isSame = labelOf(outer) === labelOf(wanted);
    const [first, second] = isSame ? [outer.name, wanted.name] : [labelOf(outer), labelOf(wanted)];
    if (first === second) return undefined;
    const inverse = second + SEPARATOR + first;
    if (this.pairs.has(inverse)) {
      return this.inverted(first, second, wanted, method, this.pairs.get(inverse));
    }
    const byName = [outer, wanted].filter(({ template }) => isSame || template === undefined);
    if (this.hasRoom(byName.map(({ name }) => name))) {
      const pair = first + SEPARATOR + second;
      if (!this.pairs.has(pair)) this.pairs.set(pair, method);
    }
    return undefined;
  }

  private hasRoom(names: readonly string[]): boolean {
    if (this.pairs.size >= MOST_PAIRS) return false;
    for (const name of names) {
      if (this.names.has(name)) continue;
      if (this.names.size >= MOST_NAMES) return false;
      this.names.add(name);
    }
    return true;
  }

  private inverted(
    first: string,
    second: string,
    { name, template }: OrderedLock,
    method: string | undefined,
    otherMethod: string | undefined,
  ): LockOrderError | undefined {
    const pair = [first, second].toSorted().join(SEPARATOR);
    if (!this.reported.has(pair)) {
      this.reported.add(pair);
      this.events.emit({
        type: 'lock-order-inverted',
        connection: this.connection,
        first,
        second,
        method,
        otherMethod,
      });
    }
    if (this.onInversion === 'warn') return undefined;
    return new LockOrderError(
      `Lock "${second}" must not be acquired while "${first}" is held: ${otherMethod ?? 'other code'} acquires them the other way round, ` +
        'so that both can wait for each other for ever; acquire them in the same order everywhere, or both at once with getMultiLock()',
      { lockName: name, template, details: { first, second, method, otherMethod } },
    );
  }
}
