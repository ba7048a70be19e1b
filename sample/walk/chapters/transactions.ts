import type { Books } from '../../invoices/invoice.controller.js';
import { LOCKED_UNTIL, type LockedUntil } from '../../invoices/invoice.dto.js';
import { type Chapter, counted } from '../chapter.js';
import type { Scene } from '../scene.js';

const SALES = 60;
const AT_ONCE = 12;

/** Sales in transactions, with a lock until they had written, until they were committed, or without one. */
export interface Sales extends Books {
  readonly lockedUntil: LockedUntil;
  readonly before: number;
}

export async function sellOnAccount(scene: Scene): Promise<readonly Sales[]> {
  scene.announce(`${SALES} articles are sold on account, in transactions of PostgreSQL, each in three ways`);
  using keeper = scene.connect();
  const seen: Sales[] = [];
  for (const lockedUntil of LOCKED_UNTIL) {
    const sku = `locked-until-${lockedUntil}`;
    await keeper.tell('PUT', '/invoices/shelf', { sku, stock: SALES });
    const clients = Array.from({ length: AT_ONCE }, scene.connect);
    const shares = clients.map(async (client) => {
      for (let sold = 0; sold < SALES / AT_ONCE; sold++) await client.tell('POST', '/invoices', { sku, lockedUntil });
    });
    try {
      await Promise.all(shares);
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
    seen.push({ lockedUntil, before: SALES, ...(await keeper.read<Books>(`/invoices/${sku}`)) });
  }
  return seen;
}

const lost = ({ before, stock, invoices }: Sales): number => invoices - (before - stock);

export function transactionsChapter(seen: readonly Sales[]): Chapter {
  const wrong = seen.filter((sales) => sales.lockedUntil === 'committed' && lost(sales) !== 0);
  const hasty = seen.find(({ lockedUntil }) => lockedUntil === 'written');
  return {
    title: 'Sales on account: stock and invoice in one transaction of PostgreSQL',
    head: ['locked until', 'invoices', 'taken off the shelf', 'updates lost'],
    rows: seen.map((sales) => [sales.lockedUntil, sales.invoices, sales.before - sales.stock, lost(sales)]),
    remarks: [
      ...(hasty && lost(hasty) > 0
        ? [`A lock that ends before the commit lost ${counted(lost(hasty), 'update')}: the next one saw the old stock.`]
        : []),
      ...(wrong.length === 0 ? ['With releaseAfter: transactionEnd() every invoice was taken off the shelf.'] : []),
    ],
    complaints: wrong.map(
      (sales) => `Locked until it was committed, ${counted(lost(sales), 'update was', 'updates were')} lost.`,
    ),
  };
}
