import { Rng } from '../rng.js';
import { type Interval, overlaps } from './exclusion.js';
import { type Fenced, fencingFaults } from './fencing.js';
import { orderFaults } from './order.js';

/** An acquire and its release. Each takes effect at some instant between its call and its answer. */
interface Operation {
  readonly id: string;
  readonly kind: 'acquire' | 'release';
  readonly invoked: number;
  readonly answered: number;
}

/**
 * The search of Wing and Gong, with Lowe's memory of visited states. It looks for an order in which each operation
 * takes effect between its call and its answer, and no more than `capacity` hold at once.
 */
const isPossible = (operations: readonly Operation[], capacity: number): boolean => {
  const seen = new Set<string>();
  const search = (left: readonly Operation[], held: ReadonlySet<string>): boolean => {
    if (left.length === 0) return true;
    const state = `${left.map(({ id, kind }) => `${kind}${id}`).join()}|${[...held].toSorted().join()}`;
    if (seen.has(state)) return false;
    seen.add(state);
    const firstAnswer = Math.min(...left.map(({ answered }) => answered));
    return left.some((next) => {
      // An operation called after the answer to another one cannot come before it.
      if (next.invoked > firstAnswer) return false;
      const after = new Set(held);
      if (next.kind === 'release') after.delete(next.id);
      else if (held.size >= capacity) return false;
      else after.add(next.id);
      return search(
        left.filter((operation) => operation !== next),
        after,
      );
    });
  };
  return search(operations, new Set());
};

const randomHistory = (rng: Rng): { operations: Operation[]; intervals: Interval[] } => {
  const count = 2 + Math.floor(rng.next() * 4);
  const operations: Operation[] = [];
  const intervals: Interval[] = [];
  for (let n = 0; n < count; n++) {
    const id = String(n);
    // Instants are whole numbers, and each is used once, as in a history of real times.
    const invoked = rng.next() * 20;
    const granted = invoked + rng.next() * 6;
    const released = granted + rng.next() * 6;
    const answered = released + rng.next() * 6;
    operations.push({ id, kind: 'acquire', invoked, answered: granted });
    operations.push({ id, kind: 'release', invoked: released, answered });
    intervals.push({ id, from: granted, to: released });
  }
  return { operations, intervals };
};

describe('The checker of exclusion', () => {
  it.each([1, 2, 3])('agrees with a full search on 5,000 random histories of %d permit(s)', (capacity) => {
    const rng = new Rng(capacity);
    let illegal = 0;
    for (let run = 0; run < 5000; run++) {
      const { operations, intervals } = randomHistory(rng);
      const possible = isPossible(operations, capacity);
      if (!possible) illegal += 1;
      expect({ run, possible: overlaps(intervals, capacity).length === 0 }).toEqual({ run, possible });
    }
    expect(illegal).toBeGreaterThan(capacity === 3 ? 20 : 200);
  });

  it('lets readers overlap readers, and no other overlap a writer', () => {
    const reader = (id: string, from: number, to: number): Interval => ({ id, from, to, shared: true });
    expect(overlaps([reader('a', 0, 5), reader('b', 1, 4), { id: 'w', from: 5, to: 6 }])).toEqual([]);
    expect(overlaps([reader('a', 0, 5), { id: 'w', from: 4, to: 6 }])).toEqual([{ at: 4, holders: ['a', 'w'] }]);
  });
});

describe('The checker of tokens', () => {
  /** Whether the grants can be placed, each within its call, so that the order of places is that of the tokens. */
  const canBePlaced = (grants: readonly Fenced[]): boolean => {
    const ordered = grants.toSorted((a, b) => Number(a.fence - b.fence));
    const place = (index: number, after: number): boolean => {
      const grant = ordered[index];
      if (!grant) return true;
      const at = Math.max(after, grant.invoked);
      return at <= grant.granted && place(index + 1, at);
    };
    return new Set(grants.map(({ fence }) => fence)).size === grants.length && place(0, Number.NEGATIVE_INFINITY);
  };

  it('agrees with placing them on 5,000 random histories', () => {
    const rng = new Rng(7);
    let illegal = 0;
    for (let run = 0; run < 5000; run++) {
      const grants = Array.from({ length: 2 + Math.floor(rng.next() * 4) }, (_, n): Fenced => {
        const invoked = rng.next() * 20;
        const granted = invoked + rng.next() * 6;
        const fence = BigInt(Math.round(rng.next() < 0.9 ? granted * 100 : rng.next() * 2000));
        return { id: String(n), fence, invoked, granted };
      });
      const possible = canBePlaced(grants);
      if (!possible) illegal += 1;
      expect({ run, possible: fencingFaults(grants).length === 0 }).toEqual({ run, possible });
    }
    expect(illegal).toBeGreaterThan(200);
  });
});

describe('The checker of order', () => {
  const attempt = (id: string, invoked: number, granted: number, placed?: number) => ({
    ...{ id, kind: 'fair', lock: 'f', mode: 'exclusive' as const, wait: 1000 },
    ...{ invoked, granted, until: granted + 1, ...(placed === undefined ? {} : { placed }) },
  });

  it('finds owners that overtook one with a place', () => {
    const late = attempt('b', 500, 800);
    expect(orderFaults([attempt('a', 0, 900, 400), late])).toEqual(['b overtook a']);
    expect(orderFaults([attempt('a', 0, 900, 600), late])).toEqual([]);
    expect(orderFaults([attempt('a', 0, 900), late])).toEqual([]);
  });
});
