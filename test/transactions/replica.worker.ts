import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../servers/worker/worker-host.js';
import { Replica, type ShopName } from './replica.js';
import type { Way } from './shop.js';

/** The number of sellers and sales, and the time for which each transaction continues after the locked method. */
export interface Order {
  readonly shop: ShopName;
  readonly way: Way;
  readonly sku: string;
  /** The number of sellers at once, and the number of sales of each, one after the other. */
  readonly sellers: number;
  readonly each: number;
  readonly goOnMs: number;
}

const [, , redis = '', postgres = ''] = process.argv;
const starting = Replica.start({ redis, postgres });

export const api = {
  sell: async ({ shop, way, sku, sellers, each, goOnMs }: Order): Promise<void> => {
    const replica = await starting;
    const seller = async (): Promise<void> => {
      for (let sold = 0; sold < each; sold++) await replica.shop(shop)[way](sku, () => sleep(goOnMs));
    };
    await Promise.all(Array.from({ length: sellers }, seller));
  },
  close: async (): Promise<void> => (await starting).close(),
};

serve(api);
