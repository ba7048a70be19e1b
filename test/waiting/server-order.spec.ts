import { ServerOrder } from '../../lib/waiting/fair/queue-heartbeat.js';

type Step = readonly ['add' | 'delete' | 'putFirst', string];

/** Each row begins with a, b and c, in that order. */
const TRANSITIONS: readonly [string, readonly Step[], readonly string[]][] = [
  ['is that of arrival', [], ['a', 'b', 'c']],
  ['puts a new waiter at the end', [['add', 'd']], ['a', 'b', 'c', 'd']],
  ['stays as it is if a waiter comes twice', [['add', 'a']], ['a', 'b', 'c']],
  ['goes on to the second if the first leaves', [['delete', 'a']], ['b', 'c']],
  ['keeps the first if another leaves', [['delete', 'b']], ['a', 'c']],
  [
    'goes on to the third if the first two leave, the second before',
    [
      ['delete', 'b'],
      ['delete', 'a'],
    ],
    ['c'],
  ],
  ['stays as it is if an unknown waiter leaves', [['delete', 'd']], ['a', 'b', 'c']],
  [
    'puts the first at the end if it leaves and comes again',
    [
      ['delete', 'a'],
      ['add', 'a'],
    ],
    ['b', 'c', 'a'],
  ],
  ['can be changed for the last', [['putFirst', 'c']], ['c', 'a', 'b']],
  ['stays as it is if the first is put first', [['putFirst', 'a']], ['a', 'b', 'c']],
  ['can be changed for an unknown waiter', [['putFirst', 'd']], ['d', 'a', 'b', 'c']],
  [
    'is as before for the others, after the one that was put first leaves',
    [
      ['putFirst', 'c'],
      ['delete', 'c'],
    ],
    ['a', 'b'],
  ],
];

describe('The order of waiters on the server', () => {
  it.each(TRANSITIONS)('%s', (_, steps, expected) => {
    const order = new ServerOrder<string>();
    for (const waiter of ['a', 'b', 'c']) order.add(waiter);
    for (const [step, waiter] of steps) order[step](waiter);
    expect(order.all()).toEqual(expected);
    expect(order.head).toBe(expected[0]);
    for (const waiter of ['a', 'b', 'c', 'd']) expect(order.has(waiter)).toBe(expected.includes(waiter));
  });

  it('has no first without places, and then the first that comes', () => {
    const order = new ServerOrder<string>();
    expect(order.head).toBeUndefined();
    for (const waiter of ['a', 'b', 'a']) {
      order.add(waiter);
      expect(order.head).toBe(waiter);
      order.delete(waiter);
      expect(order.head).toBeUndefined();
      expect(order.all()).toEqual([]);
    }
  });

  it('has later waiters as the first, one after the other', () => {
    const order = new ServerOrder<number>();
    order.add(0);
    for (let last = 0; last < 100; last++) {
      order.add(last + 1);
      expect(order.head).toBe(last);
      order.delete(last);
    }
    expect(order.all()).toEqual([100]);
  });

  it('can be iterated while waiters leave', () => {
    const order = new ServerOrder<string>();
    for (const waiter of ['a', 'b', 'c']) order.add(waiter);
    const all = order.all();
    for (const waiter of all) order.delete(waiter);
    expect(all).toEqual(['a', 'b', 'c']);
    expect(order.head).toBeUndefined();
  });
});
