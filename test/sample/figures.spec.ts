import { answeredPerProcess, figuresOf, oversold, percentile } from '../../sample/shop/flash-sale/figures.js';
import { offerOf, orderRequests } from '../../sample/shop/flash-sale/offer.js';
import type { Sale } from '../../sample/shop/flash-sale/sale.js';
import { soldPerArticle } from '../../sample/shop/inventory/sold.js';
import type { OrderRequest } from '../../sample/shop/orders/order.js';

const order = (warehouse: string, ...lines: readonly [sku: string, quantity: number][]): OrderRequest => ({
  warehouse,
  lines: lines.map(([sku, quantity]) => ({ sku, quantity })),
});

const offer = [
  { warehouse: 'berlin', sku: 'console', stock: 2 },
  { warehouse: 'lyon', sku: 'console', stock: 5 },
];

describe('The oversold quantity', () => {
  it('is 0 while orders take no more than the offer', () => {
    expect(oversold(offer, [])).toBe(0);
    expect(oversold(offer, [order('berlin', ['console', 2]), order('lyon', ['console', 5])])).toBe(0);
  });

  it('is the excess of the orders for an article over its offer, in all lines', () => {
    expect(oversold(offer, [order('berlin', ['console', 2]), order('berlin', ['console', 3])])).toBe(3);
  });

  it('is not reduced by unsold items of another article or warehouse', () => {
    expect(oversold(offer, [order('berlin', ['console', 4]), order('lyon', ['console', 1])])).toBe(2);
  });

  it('includes all items of an article that was never offered', () => {
    expect(oversold(offer, [order('berlin', ['console', 1], ['headset', 3])])).toBe(3);
  });
});

describe('The figures of a sale', () => {
  const sale: Sale = {
    offer,
    attempts: [
      { request: order('berlin', ['console', 2]), outcome: 'accepted', ms: 10, process: '2', reason: '' },
      { request: order('berlin', ['console', 1]), outcome: 'accepted', ms: 30, process: '1', reason: '' },
      { request: order('berlin', ['console', 9]), outcome: 'refused', ms: 20, process: '2', reason: '' },
      { request: order('lyon', ['console', 9]), outcome: 'failed', ms: 40, process: 'none', reason: 'socket hang up' },
    ],
    left: [
      { warehouse: 'berlin', sku: 'console', stock: 1 },
      { warehouse: 'lyon', sku: 'console', stock: 5 },
    ],
    seconds: 0.5,
  };

  it('count only what was accepted as sold, and every request as answered', () => {
    expect(figuresOf(sale)).toEqual({
      accepted: 2,
      refused: 1,
      failed: 1,
      itemsSold: 3,
      stockLeft: 6,
      oversold: 1,
      requestsPerSecond: 8,
      p50: 20,
      p99: 40,
    });
  });

  it('say how many requests each process answered, in the order of the processes', () => {
    expect([...answeredPerProcess(sale)]).toEqual([
      ['1', 1],
      ['2', 2],
      ['none', 1],
    ]);
  });
});

describe('A percentile', () => {
  it('is the smallest value that this share of the values does not exceed, in any order', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect([percentile(values, 50), percentile(values, 99), percentile(values, 100)]).toEqual([50, 99, 100]);
  });

  it('is the value itself when there is one, and 0 when there is none', () => {
    expect([percentile([7], 50), percentile([7], 99), percentile([], 50)]).toEqual([7, 7, 0]);
  });
});

describe('The flash sale', () => {
  it('offers 100 items to buyers who want more than that of each article, some of them several at once', () => {
    const buyers = orderRequests(400);
    const wanted = soldPerArticle(buyers);
    const levels = offerOf(100);
    expect(levels.reduce((total, { stock }) => total + stock, 0)).toBe(100);
    for (const { warehouse, sku, stock } of levels)
      expect(wanted.get(`${warehouse}/${sku}`)).toBeGreaterThan(2 * stock);
    expect(buyers.some(({ lines }) => lines.length > 1)).toBe(true);
  });
});
