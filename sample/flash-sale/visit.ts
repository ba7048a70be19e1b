import { performance } from 'node:perf_hooks';
import type { OrderRequest } from '../orders/order.js';
import type { ShopClient } from './shop-client.js';

/** What one buyer experienced. */
export interface Visit {
  readonly wish: OrderRequest;
  readonly outcome: 'accepted' | 'refused' | 'failed';
  readonly ms: number;
  readonly process: string;
  /** Of a failure. */
  readonly reason: string;
}

/** Orders, and tells what came of it; never rejects. */
export async function visit(shop: ShopClient, wish: OrderRequest): Promise<Visit> {
  const start = performance.now();
  const result = (outcome: Visit['outcome'], process = 'none', reason = ''): Visit => {
    return { wish, outcome, ms: performance.now() - start, process, reason };
  };
  try {
    const { status, body, process } = await shop.order(wish);
    if (status === 201) return result('accepted', process);
    if (status === 409) return result('refused', process);
    return result('failed', process, `${status} ${body}`);
  } catch (error) {
    return result('failed', 'none', error instanceof Error ? error.message : String(error));
  }
}
