import { ConflictException, Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { NEVER, Observable, startWith } from 'rxjs';
import type { StockLevel } from '../inventory/article.js';
import { Ledger } from '../inventory/ledger.js';
import { PaymentService } from '../payments/payment.service.js';
import type { Order, OrderRequest } from './order.js';

/** Sells what is in stock: one order per warehouse at a time, in the order of arrival over all processes. */
@Injectable()
export class OrderService {
  constructor(
    protected readonly ledger: Ledger,
    private readonly payments: PaymentService,
  ) {}

  /**
   * A buyer who disconnects leaves the queue.
   * @throws ConflictException if the stock of an article does not suffice; then nothing is sold.
   */
  @Locked('orders:<0.warehouse>', { fair: true, wait: '30s', cancelOnDisconnect: true })
  async place(request: OrderRequest): Promise<Order> {
    return this.sell(request);
  }

  /** Replaces the stock of these warehouses and deletes their orders, under the locks of all of them. */
  @Locked('orders:<0.warehouse>', { fair: true, wait: '30s' })
  async restock(levels: readonly StockLevel[]): Promise<void> {
    await this.ledger.restock(levels);
  }

  /** Closes a warehouse for as long as the subscription lasts; emits once it is closed. */
  @Locked('orders:<0>', { fair: true, wait: '30s' })
  close(warehouse: string): Observable<string> {
    return this.closed(warehouse);
  }

  async find(id: string): Promise<Order | undefined> {
    return this.ledger.orderOf(id);
  }

  /** Reads the stock, takes the money, writes the new stock. Concurrent calls would sell the same item several times. */
  protected async sell(request: OrderRequest): Promise<Order> {
    const levels = await this.levelsAfter(request);
    await this.payments.charge();
    return this.ledger.book(request, levels);
  }

  protected closed(warehouse: string): Observable<string> {
    return NEVER.pipe(startWith(`${warehouse} is closed for stock-taking`));
  }

  private async levelsAfter({ warehouse, lines }: OrderRequest): Promise<readonly StockLevel[]> {
    return Promise.all(
      lines.map(async ({ sku, quantity }) => {
        const stock = await this.ledger.stockOf({ warehouse, sku });
        if (stock < quantity) throw new ConflictException(`${sku} in ${warehouse}: ${quantity} wanted, ${stock} left`);
        return { warehouse, sku, stock: stock - quantity };
      }),
    );
  }
}
