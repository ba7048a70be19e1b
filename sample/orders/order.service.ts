import { ConflictException, Injectable } from '@nestjs/common';
import { type StockLevel, StockStore } from '../inventory/stock.store.js';
import type { Order, OrderRequest } from './order.js';
import { OrderBook } from './order-book.js';
import { Payment } from './payment.js';

/**
 * Sells what is in stock, in the way one writes it down first: look, take the money, write the new stock. Between the
 * look and the write other orders look too, so this alone sells the same item several times.
 */
@Injectable()
export class OrderService {
  constructor(
    private readonly stock: StockStore,
    private readonly orders: OrderBook,
    private readonly payment: Payment,
  ) {}

  /** @throws ConflictException when an article of the order has not enough stock; then nothing is sold. */
  async place(request: OrderRequest): Promise<Order> {
    const levels = await this.levelsAfter(request);
    await this.payment.charge();
    await Promise.all(levels.map((level) => this.stock.write(level)));
    return this.orders.enter(request);
  }

  async find(id: string): Promise<Order | undefined> {
    return this.orders.find(id);
  }

  private async levelsAfter({ warehouse, lines }: OrderRequest): Promise<readonly StockLevel[]> {
    return Promise.all(
      lines.map(async ({ sku, quantity }) => {
        const stock = await this.stock.read({ warehouse, sku });
        if (stock < quantity) throw new ConflictException(`${sku} in ${warehouse}: ${quantity} wanted, ${stock} left`);
        return { warehouse, sku, stock: stock - quantity };
      }),
    );
  }
}
