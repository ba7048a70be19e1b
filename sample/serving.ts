import { once } from 'node:events';
import { OFFER } from './flash-sale/offer.js';
import { ShopClient } from './flash-sale/shop-client.js';
import type { ShopProcesses } from './processes/shop-processes.js';

/** Fills the shelves again and leaves the shop open until Ctrl-C. */
export async function serve(shop: ShopProcesses, interruption: AbortSignal): Promise<void> {
  using client = new ShopClient(shop.url, interruption);
  await client.restock(OFFER);
  console.log(invitation(shop.url));
  const problem = await Promise.race([once(interruption, 'abort'), shop.whenOneEnds()]);
  if (typeof problem === 'string' && !interruption.aborted) throw new Error(problem);
}

function invitation(url: string): string {
  const [{ warehouse, sku } = { warehouse: '', sku: '' }] = OFFER;
  const order = JSON.stringify({ warehouse, lines: [{ sku, quantity: 1 }] });
  return `
The shop is open at ${url}, with locks on and its shelves full again. Ctrl-C closes it.

  curl ${url}/inventory
  curl ${url}/orders -H 'content-type: application/json' -d '${order}'
  curl ${url}/orders/<id from the answer>
`;
}
