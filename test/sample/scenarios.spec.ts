import type { Sale } from '../../sample/shop/flash-sale/sale.js';
import type { OrderAttempt } from '../../sample/shop/flash-sale/order-attempt.js';
import type { Order } from '../../sample/shop/orders/order.js';
import { fairnessResult, overtaken } from '../../sample/shop/comparison/scenarios/fairness.js';
import { flashSaleResult } from '../../sample/shop/comparison/scenarios/flash-sale.js';
import { paymentsResult } from '../../sample/shop/comparison/scenarios/payments.js';
import { pickingResult } from '../../sample/shop/comparison/scenarios/picking.js';
import { reportsResult } from '../../sample/shop/comparison/scenarios/reports.js';
import { scheduleResult } from '../../sample/shop/comparison/scenarios/schedule.js';
import { table } from '../../sample/shop/comparison/table.js';

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

describe('The result of the flash sale', () => {
  type Outcome = OrderAttempt['outcome'];

  /** A sale of two consoles, in which each buyer wants one. */
  const saleOf = (outcomes: readonly Outcome[], stock: number): Sale => ({
    offer: [{ warehouse: 'berlin', sku: 'console', stock: 2 }],
    attempts: outcomes.map((outcome, n) => ({
      request: { warehouse: 'berlin', lines: [{ sku: 'console', quantity: 1 }] },
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
  const failures = (sale: Sale): readonly string[] => flashSaleResult([['fair', sale]]).failures;

  it('has a row for each sale', () => {
    const { rows } = flashSaleResult([
      ['off', wild],
      ['fair', orderly],
    ]);
    expect(rows).toEqual([
      ['off', 3, 0, 3, 1, 1, 300, 2, 3, '2 + 1'],
      ['fair', 2, 1, 2, 0, 0, 300, 2, 3, '2 + 1'],
    ]);
  });

  it('says what went wrong without locks, and reports none of it as a failure', () => {
    const { remarks, failures: none } = flashSaleResult([['off', wild]]);
    expect(remarks.slice(0, -1)).toEqual([
      'Without locks the shop promised 1 item that it did not have, and shows a stock of 1.',
    ]);
    expect(none).toEqual([]);
  });

  it('says that nothing went wrong without locks', () => {
    expect(flashSaleResult([['off', orderly]]).remarks.join()).toContain('nothing was oversold this time');
  });

  it('reports as a failure: overselling with locks', () => {
    expect(failures(saleOf(['accepted', 'accepted', 'accepted'], -1))).toEqual([
      'With fair locks, 1 item was sold that was not in stock.',
    ]);
  });

  it('reports as a failure: items that are neither sold nor left with locks', () => {
    expect(failures(saleOf(['accepted', 'refused'], 0))).toEqual([
      'With fair locks, 1 sold and 0 left do not add up to the 2 offered.',
    ]);
  });

  it('reports as a failure: requests that were neither accepted nor refused, with locks or without', () => {
    const failed = saleOf(['failed', 'failed'], 2);
    const result = flashSaleResult([
      ['off', failed],
      ['fair', failed],
    ]);
    expect(result.failures).toEqual([
      'With locks off, 2 requests failed, the first with: 503 no answer in time',
      'With locks fair, 2 requests failed, the first with: 503 no answer in time',
    ]);
  });
});

describe('The result of first come, first served', () => {
  it('counts the buyers served after a later one', () => {
    expect(overtaken([1, 2, 3])).toBe(0);
    expect(overtaken([2, 1, 3])).toBe(1);
    expect(overtaken([3, 1, 2])).toBe(1);
    expect(overtaken([2, 3, 1])).toBe(2);
  });

  it('reports as a failure: overtaking where locks are fair, and only there', () => {
    const line = { overtaken: 2, longestMs: 100 };
    const { failures } = fairnessResult(
      [
        ['unfair', line],
        ['fair', line],
      ],
      3,
    );
    expect(failures).toEqual(['With fair locks, 2 buyers were overtaken.']);
  });
});

describe('The result of reports', () => {
  it('reports as a failure: reports that do not balance with locks, and only there', () => {
    const reading = { orders: 'the flash sale', reports: 9, unbalanced: 2 } as const;
    const { failures } = reportsResult([
      ['off', reading],
      ['unfair', reading],
    ]);
    expect(failures).toEqual(['With locks unfair, orders the flash sale, 2 reports did not balance.']);
  });
});

describe('The result of payments', () => {
  it('reports as a failure: more payments at once than there are permits, where there are permits', () => {
    const { failures } = paymentsResult([
      ['off', { payments: 400, peak: 90 }],
      ['unfair', { payments: 80, peak: 5 }],
      ['fair', { payments: 80, peak: 6 }],
    ]);
    expect(failures).toEqual(['With locks fair, 6 payments ran at once; 5 are allowed.']);
  });
});

describe('The result of picking', () => {
  const lines = ['cable', 'camera'].map((sku) => ({ sku, quantity: 1 }));
  const order: Order = { id: 'a', number: 1, warehouse: 'depot', lines };
  const picked = lines.map((line, n) => ({ ...line, orderId: 'a', pickedBy: n + 1 }));

  it('shows how much each process picked', () => {
    const { rows, failures } = pickingResult({
      orders: [order],
      parcels: [{ orderId: 'a', lines: picked }],
      ms: 40,
    });
    expect(rows).toEqual([[1, 1, 2, '1 + 1', 1, 0, 40]]);
    expect(failures).toEqual([]);
  });

  it('reports as a failure: a parcel that lacks a line', () => {
    const parcels = [{ orderId: 'a', lines: picked.slice(1) }];
    expect(pickingResult({ orders: [order], parcels, ms: 40 }).failures).toEqual(['1 parcel was packed too early.']);
  });
});

describe('The result of the stock report', () => {
  it('reports as a failure: a tick with several reports with locks, and only there', () => {
    const runs = [
      { tick: '2030-01-01T00:00:00.000Z', runs: 1 },
      { tick: '2030-01-01T00:00:02.000Z', runs: 3 },
    ];
    const { rows, failures } = scheduleResult(
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
    expect(failures).toEqual(['With locks fair, a stock report was written 3 times for one tick.']);
  });
});
