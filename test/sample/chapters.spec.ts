import type { Sale } from '../../sample/flash-sale/sale.js';
import type { Visit } from '../../sample/flash-sale/visit.js';
import type { Order } from '../../sample/orders/order.js';
import { fairnessChapter, overtaken } from '../../sample/walk/chapters/fairness.js';
import { flashSaleChapter } from '../../sample/walk/chapters/flash-sale.js';
import { paymentsChapter } from '../../sample/walk/chapters/payments.js';
import { pickingChapter } from '../../sample/walk/chapters/picking.js';
import { reportsChapter } from '../../sample/walk/chapters/reports.js';
import { scheduleChapter } from '../../sample/walk/chapters/schedule.js';
import { table } from '../../sample/walk/table.js';

describe('A table', () => {
  it('has text to the left and whole numbers to the right, each below its title', () => {
    const rows = [
      ['off', 3.6, '1 + 2'],
      ['unfair', 12, '3'],
    ];
    expect(table(['locks', 'orders', 'by'], rows).split('\n')).toEqual([
      'locks    orders   by',
      '─'.repeat(23),
      'off           4   1 + 2',
      'unfair       12   3',
    ]);
  });
});

describe('The chapter of the flash sale', () => {
  type Outcome = Visit['outcome'];

  /** Two consoles are offered, and each buyer wants one. */
  const saleOf = (outcomes: readonly Outcome[], stock: number): Sale => ({
    offer: [{ warehouse: 'berlin', sku: 'console', stock: 2 }],
    visits: outcomes.map((outcome, n) => ({
      wish: { warehouse: 'berlin', lines: [{ sku: 'console', quantity: 1 }] },
      outcome,
      ms: n + 1,
      process: String((n % 2) + 1),
      reason: outcome === 'failed' ? '503 no answer in time' : '',
    })),
    left: [{ warehouse: 'berlin', sku: 'console', stock }],
    seconds: 0.01,
  });
  const wild = saleOf(['accepted', 'accepted', 'accepted'], 1);
  const orderly = saleOf(['accepted', 'accepted', 'refused'], 0);
  const complaints = (sale: Sale): readonly string[] => flashSaleChapter([['fair', sale]]).complaints;

  it('has a row for each sale', () => {
    const { rows } = flashSaleChapter([
      ['off', wild],
      ['fair', orderly],
    ]);
    expect(rows).toEqual([
      ['off', 3, 0, 3, 1, 1, 300, 2, 3, '2 + 1'],
      ['fair', 2, 1, 2, 0, 0, 300, 2, 3, '2 + 1'],
    ]);
  });

  it('tells what went wrong without locks, and objects to none of it', () => {
    const { remarks, complaints: none } = flashSaleChapter([['off', wild]]);
    expect(remarks).toEqual([
      'Without locks the shop promised 1 item that it did not have, and believes to have 1 left.',
    ]);
    expect(none).toEqual([]);
  });

  it('says so when nothing went wrong without locks', () => {
    expect(flashSaleChapter([['off', orderly]]).remarks.join()).toContain('nothing was oversold this time');
  });

  it('objects to overselling with locks', () => {
    expect(complaints(saleOf(['accepted', 'accepted', 'accepted'], -1))).toEqual([
      'With fair locks, 1 item was sold that was not there.',
    ]);
  });

  it('objects to items that are neither sold nor left with locks', () => {
    expect(complaints(saleOf(['accepted', 'refused'], 0))).toEqual([
      'With fair locks, 1 sold and 0 left do not make the 2 that were offered.',
    ]);
  });

  it('objects to requests that were neither accepted nor refused, with locks or without', () => {
    const failed = saleOf(['failed', 'failed'], 2);
    const chapter = flashSaleChapter([
      ['off', failed],
      ['fair', failed],
    ]);
    expect(chapter.complaints).toEqual([
      'With locks off, 2 requests came to nothing, the first with: 503 no answer in time',
      'With locks fair, 2 requests came to nothing, the first with: 503 no answer in time',
    ]);
  });
});

describe('The chapter of fairness', () => {
  it('counts whoever was served after somebody who had come later', () => {
    expect(overtaken([1, 2, 3])).toBe(0);
    expect(overtaken([2, 1, 3])).toBe(1);
    expect(overtaken([3, 1, 2])).toBe(1);
    expect(overtaken([2, 3, 1])).toBe(2);
  });

  it('objects to overtaking where locks are fair, and only there', () => {
    const line = { overtaken: 2, longestMs: 100 };
    const { complaints } = fairnessChapter(
      [
        ['unfair', line],
        ['fair', line],
      ],
      3,
    );
    expect(complaints).toEqual(['With fair locks, 2 buyers were overtaken.']);
  });
});

describe('The chapter of reports', () => {
  it('objects to reports that do not balance with locks, and only there', () => {
    const reading = { orders: 'the flash sale', reports: 9, unbalanced: 2 } as const;
    const { complaints } = reportsChapter([
      ['off', reading],
      ['unfair', reading],
    ]);
    expect(complaints).toEqual(['With locks unfair, orders the flash sale, 2 reports did not balance.']);
  });
});

describe('The chapter of payments', () => {
  it('objects to more payments at once than there are permits, where there are permits', () => {
    const { complaints } = paymentsChapter([
      ['off', { payments: 400, peak: 90 }],
      ['unfair', { payments: 80, peak: 5 }],
      ['fair', { payments: 80, peak: 6 }],
    ]);
    expect(complaints).toEqual(['With locks fair, 6 payments were under way at once; 5 are allowed.']);
  });
});

describe('The chapter of picking', () => {
  const lines = ['cable', 'camera'].map((sku) => ({ sku, quantity: 1 }));
  const order: Order = { id: 'a', number: 1, warehouse: 'depot', lines };
  const picked = lines.map((line, n) => ({ ...line, orderId: 'a', pickedBy: n + 1 }));

  it('tells who picked how much', () => {
    const { rows, complaints } = pickingChapter({
      orders: [order],
      parcels: [{ orderId: 'a', lines: picked }],
      ms: 40,
    });
    expect(rows).toEqual([[1, 1, 2, '1 + 1', 1, 0, 40]]);
    expect(complaints).toEqual([]);
  });

  it('objects to a parcel that lacks a line', () => {
    const parcels = [{ orderId: 'a', lines: picked.slice(1) }];
    expect(pickingChapter({ orders: [order], parcels, ms: 40 }).complaints).toEqual(['1 parcel was packed too early.']);
  });
});

describe('The chapter of the stock report', () => {
  it('objects to a tick with several reports with locks, and only there', () => {
    const runs = [
      { tick: '2030-01-01T00:00:00.000Z', runs: 1 },
      { tick: '2030-01-01T00:00:02.000Z', runs: 3 },
    ];
    const { rows, complaints } = scheduleChapter(
      [
        ['off', runs],
        ['fair', runs],
      ],
      3,
    );
    expect(rows).toEqual([
      ['off', 2, 4, 3],
      ['fair', 2, 4, 3],
    ]);
    expect(complaints).toEqual(['With locks fair, a stock report was written 3 times for one tick.']);
  });
});
