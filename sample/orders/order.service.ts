import { ConflictException, Injectable } from '@nestjs/common';
import { NEVER, type Observable, startWith } from 'rxjs';
import type { StockLevel } from '../inventory/article.js';
import { Ledger } from '../inventory/ledger.js';
import { PaymentService } from '../payments/payment.service.js';
import type { Order, OrderRequest } from './order.js';

/**
 * Sells what is in stock, in the way one writes it down first: look, take the money, write the new stock. Between the
 * look and the write other orders look too, so this alone sells the same item several times.
 */
@Injectable()
export class OrderService {
  constructor(
    private readonly ledger: Ledger,
    private readonly payments: PaymentService,
  ) {}

  /** @throws ConflictException when an article of the order has not enough stock; then nothing is sold. */
  async place(request: OrderRequest): Promise<Order> {
    const levels = await this.levelsAfter(request);
    await this.payments.charge();
    return this.ledger.book(request, levels);
  }

  /** Opens these warehouses anew: with this stock and no orders. */
  async restock(levels: readonly StockLevel[]): Promise<void> {
    await this.ledger.restock(levels);
  }

  /** Says when the shelves of a warehouse can be counted: nobody is served there until who listens has left. */
  pause(warehouse: string): Observable<string> {
    return NEVER.pipe(startWith(`${warehouse} is closed for stock-taking`));
  }

  async find(id: string): Promise<Order | undefined> {
    return this.ledger.orderOf(id);
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
