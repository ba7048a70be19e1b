import { type BlockedHold, blockedHoldOf, type HeldLock, textOf } from '../../lib/deadlock/blocked-hold.js';
import { findDeadlock } from '../../lib/deadlock/wait-graph.js';
import type { LockFamily } from '../../lib/holds/lock-kind.js';
import { groupLockName } from '../../lib/keys/group-field.js';

interface Wait {
  readonly id: string;
  readonly since?: number;
  readonly wants: string;
  readonly family?: LockFamily;
  readonly limit?: number;
  /** Names, or locks, by an owner of the same name as the wait unless another is given. */
  readonly holds: readonly (string | Partial<HeldLock>)[];
}

/** The records of a wait, one for each lock that it holds. */
const wait = ({ id, since = 0, wants, family = 'exclusive', limit = 1, holds }: Wait): readonly BlockedHold[] =>
  holds.map((lock) => ({
    wait: { id, since, method: undefined, wants: { family, name: wants, limit } },
    held: { family: 'exclusive', name: '', owner: id, ...(typeof lock === 'string' ? { name: lock } : lock) },
  }));

const A = wait({ id: 'A', since: 1, wants: 'b', holds: ['a'] });
const B = wait({ id: 'B', since: 2, wants: 'a', holds: ['b'] });

describe('The wait-for graph', () => {
  it('finds a deadlock of two, whichever looks, and its victim is the wait that began last', () => {
    for (const id of ['A', 'B']) {
      for (const records of [
        [...A, ...B],
        [...B, ...A],
      ]) {
        expect(findDeadlock(id, records)).toMatchObject({ victim: 'B', members: new Set(['A', 'B']) });
      }
    }
  });

  it('prints the cycle from the victim: each waits for what the next one holds', () => {
    const deadlock = findDeadlock('A', [...A, ...B]);
    const steps = deadlock?.cycle.map(({ wait: { id, wants }, holds }) => [id, holds.name, holds.owner, wants.name]);
    expect(steps).toEqual([
      ['B', 'b', 'B', 'a'],
      ['A', 'a', 'A', 'b'],
    ]);
  });

  it('finds a deadlock of three, in order', () => {
    const three = [
      ...wait({ id: '1', since: 3, wants: 'b', holds: ['other', 'a'] }),
      ...wait({ id: '2', since: 2, wants: 'c', holds: ['b'] }),
      ...wait({ id: '3', since: 1, wants: 'a', holds: ['c'] }),
    ];
    const deadlock = findDeadlock('3', three);
    expect(deadlock?.victim).toBe('1');
    expect(deadlock?.cycle.map(({ wait: { id }, holds }) => `${id} ${holds.name}`)).toEqual(['1 a', '2 b', '3 c']);
  });

  it('decides between waits that began together by their ids', () => {
    const [one, two] = [wait({ id: '1', wants: 'b', holds: ['a'] }), wait({ id: '2', wants: 'a', holds: ['b'] })];
    expect(findDeadlock('1', [...one, ...two])?.victim).toBe('2');
  });

  it('finds nothing while a record of the circle is missing', () => {
    expect(findDeadlock('A', A)).toBeUndefined();
    expect(findDeadlock('A', B)).toBeUndefined();
    expect(findDeadlock('A', [])).toBeUndefined();
  });

  it('finds nothing for a wait that is blocked by a deadlock of others, or that holds what they do not want', () => {
    const outside = wait({ id: 'C', since: 3, wants: 'a', holds: ['c'] });
    expect(findDeadlock('C', [...A, ...B, ...outside])).toBeUndefined();
    expect(findDeadlock('A', [...A, ...B, ...outside])).toMatchObject({ members: new Set(['A', 'B']) });
  });

  it('finds nothing for a wait that seems to wait for itself', () => {
    expect(findDeadlock('A', wait({ id: 'A', wants: 'a', holds: ['a'] }))).toBeUndefined();
  });

  it('leaves one victim where two circles share a wait', () => {
    const shared = wait({ id: 'S', since: 1, wants: 's', family: 'write', holds: ['x', 'y'] });
    const [one, two] = [
      wait({ id: '1', since: 2, wants: 'x', holds: [{ family: 'read', name: 's' }] }),
      wait({ id: '2', since: 3, wants: 'y', holds: [{ family: 'read', name: 's' }] }),
    ];
    for (const id of ['S', '1', '2']) {
      expect(findDeadlock(id, [...shared, ...one, ...two])).toMatchObject({
        victim: '2',
        members: new Set(['S', '1', '2']),
      });
    }
    // Without it the other circle remains, with a victim of its own.
    expect(findDeadlock('S', [...shared, ...one])?.victim).toBe('1');
  });

  describe('of read-write locks', () => {
    const reader = wait({ id: 'R', since: 1, wants: 'x', holds: [{ family: 'read', name: 'n' }] });

    it('has a writer wait for each reader', () => {
      const writer = wait({ id: 'W', since: 2, wants: 'n', family: 'write', holds: ['x'] });
      expect(findDeadlock('R', [...reader, ...writer])?.victim).toBe('W');
    });

    it('has a reader wait for the writer only', () => {
      const second = wait({ id: 'S', since: 2, wants: 'n', family: 'read', holds: ['x'] });
      expect(findDeadlock('R', [...reader, ...second])).toBeUndefined();
      const writer = wait({ id: 'W', since: 1, wants: 'x', holds: [{ family: 'write', name: 'n' }] });
      expect(findDeadlock('S', [...writer, ...second])?.victim).toBe('S');
    });

    it('does not take a plain lock of the same name for it', () => {
      const other = wait({ id: 'W', since: 2, wants: 'n', holds: ['x'] });
      expect(findDeadlock('R', [...reader, ...other])).toBeUndefined();
    });
  });

  describe('of a limit', () => {
    const wanting = (limit: number): readonly BlockedHold[] =>
      wait({ id: 'W', since: 9, wants: 'n', family: 'limit', limit, holds: ['x'] });
    const holding = (id: string): readonly BlockedHold[] =>
      wait({ id, wants: 'x', holds: [{ family: 'limit', name: 'n' }] });

    it('has no deadlock while a permit may become free', () => {
      expect(findDeadlock('W', [...wanting(2), ...holding('1')])).toBeUndefined();
    });

    it('has one if the owner of each permit waits', () => {
      const records = [...wanting(2), ...holding('1'), ...holding('2')];
      expect(findDeadlock('1', records)).toMatchObject({ victim: 'W', members: new Set(['1', '2', 'W']) });
    });

    it('counts an owner once, however many waits its code has', () => {
      const twice = ['1', '2'].flatMap((id) =>
        wait({ id, wants: 'x', holds: [{ family: 'limit', name: 'n', owner: 'same' }] }),
      );
      expect(findDeadlock('W', [...wanting(2), ...twice])).toBeUndefined();
    });
  });

  it('has group locks wait for each other if they have a value in common', () => {
    const [ab, bc, cd] = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
    ].map((fields) => groupLockName('g', fields));
    const group = (name = ''): Partial<HeldLock> => ({ family: 'group', name });
    const holder = wait({ id: '1', since: 1, wants: 'x', holds: [group(ab)] });
    const overlapping = wait({ id: '2', since: 2, wants: bc ?? '', family: 'group', holds: ['x'] });
    const apart = wait({ id: '2', since: 2, wants: cd ?? '', family: 'group', holds: ['x'] });
    expect(findDeadlock('1', [...holder, ...overlapping])?.victim).toBe('2');
    expect(findDeadlock('1', [...holder, ...apart])).toBeUndefined();
  });

  it('finds in random graphs of exclusive locks a deadlock exactly where following the holders leads back', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    let found = 0;
    for (let run = 0; run < 2000; run += 1) {
      const size = 2 + random(6);
      // Wait i holds lock i and wants another one.
      const wants = Array.from({ length: size }, (_, index) => (index + 1 + random(size)) % (size + 1));
      const records = wants.flatMap((lock, index) =>
        wait({ id: String(index), since: random(3), wants: String(lock), holds: [String(index)] }),
      );
      for (let start = 0; start < size; start += 1) {
        let at = wants[start];
        for (let step = 0; step < size && at !== start && at !== undefined; step += 1) at = wants[at];
        const isInCircle = at === start && wants[start] !== start;
        expect(findDeadlock(String(start), records) !== undefined).toBe(isInCircle);
        if (isInCircle) found += 1;
      }
    }
    expect(found).toBeGreaterThan(100);
  });
});

describe('A record', () => {
  const [record] = A;

  it('is read as it was written', () => {
    expect(record && blockedHoldOf(textOf(record))).toEqual(record);
    const named = record && { ...record, wait: { ...record.wait, method: '@Locked Orders.pay' } };
    expect(named && blockedHoldOf(textOf(named))).toEqual(named);
  });

  it('of another version, or of something else, is ignored', () => {
    for (const text of [
      '',
      '{',
      '{}',
      '[]',
      '[1,2,3,4,5,6,7,8,9]',
      '["a",1,null,"odd","n",1,"exclusive","m","o"]',
      '7',
    ]) {
      expect(blockedHoldOf(text)).toBeUndefined();
    }
  });
});
