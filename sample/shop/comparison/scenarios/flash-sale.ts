import { answeredPerProcess, type Figures, figuresOf } from '../../flash-sale/figures.js';
import { offerOf, orderRequests } from '../../flash-sale/offer.js';
import { runSale, type Sale } from '../../flash-sale/sale.js';
import type { Locking } from '../../shop.settings.js';
import { type ScenarioResult, counted, type ByLocking } from '../scenario-result.js';
import type { RunningShop } from '../running-shop.js';

const BUYERS = 400;
const ITEMS = 100;

export async function runFlashSale(shop: RunningShop): Promise<Sale> {
  shop.announce(`${BUYERS} buyers arrive`);
  return await runSale({
    offer: offerOf(ITEMS),
    requests: orderRequests(BUYERS),
    connect: shop.connect,
    onAnswer: (answered) => shop.count('orders answered', answered, BUYERS),
  });
}

const COLUMNS: readonly [title: string, figure: (figures: Figures) => number][] = [
  ['orders accepted', ({ accepted }) => accepted],
  ['refused', ({ refused }) => refused],
  ['items sold', ({ itemsSold }) => itemsSold],
  ['stock left', ({ stockLeft }) => stockLeft],
  ['oversold', ({ oversold }) => oversold],
  ['requests/s', ({ requestsPerSecond }) => requestsPerSecond],
  ['p50 ms', ({ p50 }) => p50],
  ['p99 ms', ({ p99 }) => p99],
];

export function flashSaleResult(sales: ByLocking<Sale>): ScenarioResult {
  const figures = sales.map(([locking, sale]) => [locking, sale, figuresOf(sale)] as const);
  return {
    title: `The flash sale: ${BUYERS} orders at once for ${ITEMS} items, one at a time in each warehouse`,
    columns: ['locks', ...COLUMNS.map(([title]) => title), 'answered by each process'],
    rows: figures.map(([locking, sale, row]) => [
      locking,
      ...COLUMNS.map(([, figure]) => figure(row)),
      [...answeredPerProcess(sale).values()].join(' + '),
    ]),
    remarks: [...figures.flatMap(([locking, , row]) => remarks(locking, row)), COST],
    failures: figures.flatMap(([locking, sale, row]) => failures(locking, sale, row)),
  };
}

const COST =
  'With locks fewer requests a second are answered, and the last buyers wait longer: orders of one warehouse run one after\n' +
  'the other, each as long as its payment. Without locks they all run at once, and read a stock that others change.';

function remarks(locking: Locking, { oversold, stockLeft }: Figures): readonly string[] {
  if (locking === 'off') {
    return oversold > 0
      ? [
          `Without locks the shop promised ${counted(oversold, 'item')} that it did not have, and shows a stock of ${stockLeft}.`,
        ]
      : ['Without locks nothing was oversold this time: luck, or PAYMENT_MS is too short for the orders to overlap.'];
  }
  return oversold > 0 ? [] : [`With ${locking} locks nothing was oversold.`];
}

/** Overselling without locks is no failure: the sample shows it. */
function failures(
  locking: Locking,
  { offer, attempts }: Sale,
  { oversold, itemsSold, stockLeft }: Figures,
): readonly string[] {
  const found: string[] = [];
  const failed = attempts.filter(({ outcome }) => outcome === 'failed');
  const [first] = failed;
  if (first !== undefined) {
    found.push(`With locks ${locking}, ${counted(failed.length, 'request')} failed, the first with: ${first.reason}`);
  }
  if (locking === 'off') return found;
  const offered = offer.reduce((total, { stock }) => total + stock, 0);
  if (oversold > 0)
    found.push(
      `With ${locking} locks, ${counted(oversold, 'item was', 'items were')} sold that ${oversold === 1 ? 'was' : 'were'} not in stock.`,
    );
  if (itemsSold + stockLeft !== offered) {
    found.push(
      `With ${locking} locks, ${itemsSold} sold and ${stockLeft} left do not add up to the ${offered} offered.`,
    );
  }
  return found;
}
