import { setTimeout } from 'node:timers/promises';
import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Locked } from 'nest-redis-lock';
import { Closing } from '../closing.js';
import type { OrderRequest } from '../orders/order.js';
import { type Figures, figuresOf } from './figures.js';
import { offerOf, wishes } from './offer.js';
import type { SaleDto } from './sale.dto.js';
import { ShopClient } from './shop-client.js';
import { type Visit, visit } from './visit.js';

/** Sales that one can watch: buyers come in for some seconds. */
@Injectable()
export class SaleService {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly closing: Closing,
  ) {}

  /**
   * Resolves when the last buyer has left. There is one sale at a time, over all processes.
   * @throws LockConflictError while there is one, which is a 409; ServiceUnavailableException when the shop closes.
   */
  @Locked('sale', { wait: 0 })
  async hold(sale: SaleDto): Promise<Figures> {
    try {
      return await this.sell(sale);
    } catch (error) {
      if (this.closing.signal.aborted) throw new ServiceUnavailableException('The shop has closed');
      throw error;
    }
  }

  private async sell({ buyers, seconds, items }: SaleDto): Promise<Figures> {
    const offer = offerOf(items);
    using keeper = this.connect();
    await keeper.restock(offer);
    const visits = await Promise.all(wishes(buyers).map((wish) => this.comeAndBuy(wish, seconds)));
    return figuresOf({ offer, visits, left: (await keeper.inventory()).entries, seconds });
  }

  private async comeAndBuy(wish: OrderRequest, seconds: number): Promise<Visit> {
    await setTimeout(Math.random() * seconds * 1000, undefined, { signal: this.closing.signal });
    using shop = this.connect();
    return await visit(shop, wish);
  }

  /** Buyers come by the door, as everybody does: so each process has its share of them. */
  private connect(): ShopClient {
    const { port } = this.host.httpAdapter.getHttpServer().address() as { port: number };
    return new ShopClient(`http://127.0.0.1:${port}`, this.closing.signal);
  }
}
