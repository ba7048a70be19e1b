import { Body, Controller, Get, HttpCode, Put } from '@nestjs/common';
import { OrderBook } from '../orders/order-book.js';
import { InventoryDto } from './inventory.dto.js';
import { soldPerArticle } from './sold.js';
import { articleKey, type StockLevel, StockStore } from './stock.store.js';

export interface InventoryEntry extends StockLevel {
  /** Counted from the orders, so it is right even where the stock is not. */
  readonly sold: number;
}

@Controller('inventory')
export class InventoryController {
  constructor(
    private readonly stock: StockStore,
    private readonly orders: OrderBook,
  ) {}

  @Get()
  async list(): Promise<readonly InventoryEntry[]> {
    const [levels, orders] = await Promise.all([this.stock.all(), this.orders.all()]);
    const sold = soldPerArticle(orders);
    return levels.map((level) => ({ ...level, sold: sold.get(articleKey(level)) ?? 0 }));
  }

  /** Opens a new sale: this stock, no orders. */
  @Put()
  @HttpCode(204)
  async replace(@Body() { levels }: InventoryDto): Promise<void> {
    await this.orders.clear();
    await this.stock.replace(levels);
  }
}
