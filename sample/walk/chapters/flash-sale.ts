import { answeredPerProcess, type Figures, figuresOf } from '../../flash-sale/figures.js';
import { offerOf, wishes } from '../../flash-sale/offer.js';
import { holdSale, type Sale } from '../../flash-sale/sale.js';
import type { Locking } from '../../shop.settings.js';
import { type Chapter, counted, type Seen } from '../chapter.js';
import type { Scene } from '../scene.js';

const BUYERS = 400;
const ITEMS = 100;

export async function holdFlashSale(scene: Scene): Promise<Sale> {
  scene.announce(`${BUYERS} buyers come in`);
  return await holdSale({
    offer: offerOf(ITEMS),
    wishes: wishes(BUYERS),
    connect: scene.connect,
    onAnswer: (answered) => scene.count('orders answered', answered, BUYERS),
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

export function flashSaleChapter(sales: Seen<Sale>): Chapter {
  const figures = sales.map(([locking, sale]) => [locking, sale, figuresOf(sale)] as const);
  return {
    title: `The flash sale: ${BUYERS} orders at the same moment for ${ITEMS} items, one at a time in each warehouse`,
    head: ['locks', ...COLUMNS.map(([title]) => title), 'answered by each process'],
    rows: figures.map(([locking, sale, row]) => [
      locking,
      ...COLUMNS.map(([, figure]) => figure(row)),
      [...answeredPerProcess(sale).values()].join(' + '),
    ]),
    remarks: figures.flatMap(([locking, , row]) => remarks(locking, row)),
    complaints: figures.flatMap(([locking, sale, row]) => complaints(locking, sale, row)),
  };
}

function remarks(locking: Locking, { oversold, stockLeft }: Figures): readonly string[] {
  if (locking === 'off') {
    return oversold > 0
      ? [
          `Without locks the shop promised ${counted(oversold, 'item')} that it did not have, and believes to have ${stockLeft} left.`,
        ]
      : ['Without locks nothing was oversold this time: luck, or PAYMENT_MS is too short for the orders to overlap.'];
  }
  return oversold > 0 ? [] : [`With ${locking} locks no item was sold twice.`];
}

/** Overselling without locks may happen: it is what the sample shows. */
function complaints(
  locking: Locking,
  { offer, visits }: Sale,
  { oversold, itemsSold, stockLeft }: Figures,
): readonly string[] {
  const found: string[] = [];
  const failed = visits.filter(({ outcome }) => outcome === 'failed');
  const [first] = failed;
  if (first !== undefined) {
    found.push(
      `With locks ${locking}, ${counted(failed.length, 'request')} came to nothing, the first with: ${first.reason}`,
    );
  }
  if (locking === 'off') return found;
  const offered = offer.reduce((total, { stock }) => total + stock, 0);
  if (oversold > 0)
    found.push(
      `With ${locking} locks, ${counted(oversold, 'item was', 'items were')} sold that ${oversold === 1 ? 'was' : 'were'} not there.`,
    );
  if (itemsSold + stockLeft !== offered) {
    found.push(
      `With ${locking} locks, ${itemsSold} sold and ${stockLeft} left do not make the ${offered} that were offered.`,
    );
  }
  return found;
}
