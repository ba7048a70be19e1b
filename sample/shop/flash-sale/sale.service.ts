import { setTimeout } from 'node:timers/promises';
import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Locked } from 'nest-redis-lock';
import { ShutdownSignal } from '../shutdown-signal.js';
import type { OrderRequest } from '../orders/order.js';
import { type Figures, figuresOf } from './figures.js';
import { offerOf, orderRequests } from './offer.js';
import type { SaleDto } from './sale.dto.js';
import { ShopClient } from './shop-client.js';
import { type OrderAttempt, attemptOrder } from './order-attempt.js';

/** The lock of a sale. */
export const SALE_LOCK = 'sale';

/**
 * How long an answer is waited for. When a process is killed, a connection that was on the way to it may stay open
 * without one.
 */
const PATIENCE_MS = 30_000;

/** Sales to watch on the page: buyers arrive over some seconds. */
@Injectable()
export class SaleService {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /**
   * Resolves after the last answer. One sale at a time, over all processes.
   * @throws LockConflictError during another sale, which is a 409; ServiceUnavailableException if the shop closes.
   */
  @Locked(SALE_LOCK, { wait: 0 })
  async hold(sale: SaleDto): Promise<Figures> {
    try {
      return await this.sell(sale);
    } catch (error) {
      if (this.shutdown.signal.aborted) throw new ServiceUnavailableException('The shop has closed');
      throw error;
    }
  }

  private async sell({ buyers, seconds, items }: SaleDto): Promise<Figures> {
    const offer = offerOf(items);
    using manager = this.connect();
    await manager.restock(offer);
    const attempts = await Promise.all(orderRequests(buyers).map((request) => this.buyAtRandomTime(request, seconds)));
    return figuresOf({ offer, attempts, left: (await manager.inventory()).entries, seconds });
  }

  private async buyAtRandomTime(request: OrderRequest, seconds: number): Promise<OrderAttempt> {
    await setTimeout(Math.random() * seconds * 1000, undefined, { signal: this.shutdown.signal });
    using shop = this.connect();
    return await attemptOrder(shop, request);
  }

  /** Over HTTP, like any buyer, so that each process gets its share of the connections. */
  private connect(): ShopClient {
    const { port } = this.host.httpAdapter.getHttpServer().address() as { port: number };
    return new ShopClient(`http://127.0.0.1:${port}`, this.shutdown.signal, PATIENCE_MS);
  }
}
