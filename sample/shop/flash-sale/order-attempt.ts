import { performance } from 'node:perf_hooks';
import type { OrderRequest } from '../orders/order.js';
import type { ShopClient } from './shop-client.js';

/** One order of a buyer, and its answer. */
export interface OrderAttempt {
  readonly request: OrderRequest;
  readonly outcome: 'accepted' | 'refused' | 'failed';
  readonly ms: number;
  readonly process: string;
  /** The reason of a failure. */
  readonly reason: string;
}

/** Places an order and reports the outcome; never rejects. */
export async function attemptOrder(shop: ShopClient, request: OrderRequest): Promise<OrderAttempt> {
  const start = performance.now();
  const result = (outcome: OrderAttempt['outcome'], process = 'none', reason = ''): OrderAttempt => {
    return { request, outcome, ms: performance.now() - start, process, reason };
  };
  try {
    const { status, body, process } = await shop.order(request);
    if (status === 201) return result('accepted', process);
    if (status === 409) return result('refused', process);
    return result('failed', process, `${status} ${body}`);
  } catch (error) {
    return result('failed', 'none', error instanceof Error ? error.message : String(error));
  }
}
