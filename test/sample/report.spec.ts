import { report } from '../../sample/flash-sale/report.js';
import type { Sale } from '../../sample/flash-sale/sale.js';
import { complaints } from '../../sample/flash-sale/verdict.js';

type Outcome = Sale['visits'][number]['outcome'];

const offer = [{ warehouse: 'berlin', sku: 'console', stock: 2 }];

/** One buyer of one console for each outcome; answers come from processes 1, 2, 1, 2 … */
const saleOf = (outcomes: readonly Outcome[], left: number): Sale => ({
  offer,
  visits: outcomes.map((outcome, n) => ({
    wish: { warehouse: 'berlin', lines: [{ sku: 'console', quantity: 1 }] },
    outcome,
    ms: n + 1,
    process: String((n % 2) + 1),
    reason: outcome === 'failed' ? '503 no answer in time' : '',
  })),
  left: [{ warehouse: 'berlin', sku: 'console', stock: left }],
  seconds: 0.01,
});

const wild = saleOf(['accepted', 'accepted', 'accepted'], 1);
const orderly = saleOf(['accepted', 'accepted', 'refused'], 0);

describe('The report', () => {
  it('has a row for locks off and one for locks on, with numbers under their titles', () => {
    expect(report(wild, orderly).split('\n')).toEqual([
      'locks   orders accepted   refused   items sold   stock left   oversold   requests/s   p50 ms   p99 ms',
      '─'.repeat(101),
      'off                   3         0            3            1          1          300        2        3',
      'on                    2         1            2            0          0          300        2        3',
      '',
      'Orders answered by each process: locks off 2 + 1, locks on 2 + 1.',
      'Without locks the shop promised 1 item that it did not have, and believes to have 1 left.',
      'With locks no item was sold twice.',
    ]);
  });

  it('says so when the sale without locks did not go wrong', () => {
    expect(report(orderly, orderly)).toContain('Without locks nothing was oversold this time');
  });
});

describe('The verdict', () => {
  it('has nothing against overselling without locks', () => {
    expect(complaints(wild, orderly)).toEqual([]);
  });

  it('objects to overselling with locks', () => {
    expect(complaints(wild, saleOf(['accepted', 'accepted', 'accepted'], -1))).toEqual([
      'With locks on, 1 were sold that were not there.',
    ]);
  });

  it('objects to items that are neither sold nor left with locks', () => {
    expect(complaints(wild, saleOf(['accepted', 'refused'], 0))).toEqual([
      'With locks on, 1 sold and 0 left do not make the 2 that were offered.',
    ]);
  });

  it('objects to requests that were neither accepted nor refused, in either sale', () => {
    expect(complaints(saleOf(['failed'], 2), saleOf(['failed', 'failed'], 2))).toEqual([
      'With locks off, 1 requests were neither accepted nor refused, the first with: 503 no answer in time',
      'With locks on, 2 requests were neither accepted nor refused, the first with: 503 no answer in time',
    ]);
  });
});
