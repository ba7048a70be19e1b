import { once } from 'node:events';
import { offerOf } from '../flash-sale/offer.js';
import { ShopClient } from '../flash-sale/shop-client.js';
import type { ShopProcesses } from '../processes/shop-processes.js';

/** Fills the shelves and keeps the shop open until Ctrl-C. */
export async function keepOpen(shop: ShopProcesses, paymentMs: number, interruption: AbortSignal): Promise<void> {
  using client = new ShopClient(shop.url, interruption);
  await client.restock(offerOf(200));
  console.log(instructions(shop.url, paymentMs));
  const problem = await Promise.race([once(interruption, 'abort'), shop.whenOneEnds()]);
  if (typeof problem === 'string' && !interruption.aborted) throw new Error(problem);
}

function instructions(url: string, paymentMs: number): string {
  const order = JSON.stringify({ warehouse: 'berlin', lines: [{ sku: 'console', quantity: 1 }] });
  return `
The shop is open, with fair locks and payments of ${paymentMs} ms. Start a sale and watch it: ${url}
Ctrl-C closes it.

  curl ${url}/inventory
  curl ${url}/orders -H 'content-type: application/json' -d '${order}'
  curl ${url}/orders/<id from the answer>
  curl -X PUT ${url}/orders/<id from the answer>/parcel
  curl -X POST ${url}/sales
`;
}
