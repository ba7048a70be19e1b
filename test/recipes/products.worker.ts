import { Redis } from 'ioredis';
import { createLocks } from '../../lib/index.js';
import { type Product, ProductCache, Products } from '../../docs/recipes/cache-stampede/product-cache.js';
import { Gate } from '../kit/gate.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , url = '', renewedLease = ''] = process.argv;
const locks = createLocks({ connection: url, probe: false, renewedLease: Number(renewedLease) });
const redis = new Redis(url);
const finish = new Gate();

/** A database that counts its queries, and answers when the test says so. */
class CountedProducts extends Products {
  async load(id: string): Promise<Product> {
    await redis.incr('loads');
    await finish.pass();
    return { id, name: `loaded by ${process.pid}` };
  }
}

/** The process of an application with a cache. */
export const api = {
  /** Resolves with the answers to so many requests for one product, which come at once. */
  get: async (id: string, requests: number): Promise<readonly Product[]> => {
    const cache = new ProductCache(await locks, new CountedProducts(), redis);
    return Promise.all(Array.from({ length: requests }, () => cache.get(id)));
  },
  finish: async (): Promise<void> => finish.open(),
};

serve(api);
