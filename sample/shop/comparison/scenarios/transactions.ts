import type { Books } from '../../invoices/invoice.controller.js';
import { LOCKED_UNTIL, type LockedUntil } from '../../invoices/invoice.dto.js';
import { type ScenarioResult, counted } from '../scenario-result.js';
import type { RunningShop } from '../running-shop.js';

const SALES = 60;
const AT_ONCE = 12;

/** Sales in transactions, with a lock until the write, until the commit, or without one. */
export interface Sales extends Books {
  readonly lockedUntil: LockedUntil;
  readonly before: number;
}

export async function sellOnAccount(shop: RunningShop): Promise<readonly Sales[]> {
  shop.announce(`${SALES} articles are sold on account, in PostgreSQL transactions, in three ways`);
  using manager = shop.connect();
  const seen: Sales[] = [];
  for (const lockedUntil of LOCKED_UNTIL) {
    const sku = `locked-until-${lockedUntil}`;
    await manager.tell('PUT', '/invoices/shelf', { sku, stock: SALES });
    const clients = Array.from({ length: AT_ONCE }, shop.connect);
    const shares = clients.map(async (client) => {
      for (let sold = 0; sold < SALES / AT_ONCE; sold++) await client.tell('POST', '/invoices', { sku, lockedUntil });
    });
    try {
      await Promise.all(shares);
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
    seen.push({ lockedUntil, before: SALES, ...(await manager.read<Books>(`/invoices/${sku}`)) });
  }
  return seen;
}

const lost = ({ before, stock, invoices }: Sales): number => invoices - (before - stock);

export function transactionsResult(seen: readonly Sales[]): ScenarioResult {
  const wrong = seen.filter((sales) => sales.lockedUntil === 'committed' && lost(sales) !== 0);
  const early = seen.find(({ lockedUntil }) => lockedUntil === 'written');
  return {
    title: 'Sales on account: stock and invoice in one transaction of PostgreSQL',
    columns: ['locked until', 'invoices', 'taken off the shelf', 'updates lost'],
    rows: seen.map((sales) => [sales.lockedUntil, sales.invoices, sales.before - sales.stock, lost(sales)]),
    remarks: [
      ...(early && lost(early) > 0
        ? [
            `A lock that ends before the commit lost ${counted(lost(early), 'update')}: the next sale read the old stock.`,
          ]
        : []),
      ...(wrong.length === 0 ? ['With releaseAfter: transactionEnd() every invoice reduced the stock.'] : []),
    ],
    failures: wrong.map(
      (sales) => `Locked until the commit, ${counted(lost(sales), 'update was', 'updates were')} lost.`,
    ),
  };
}
