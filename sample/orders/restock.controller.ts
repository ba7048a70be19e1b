import { Body, Controller, HttpCode, type MessageEvent, Param, Put, Sse } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { InventoryDto } from '../inventory/inventory.dto.js';
import { Closing } from '../closing.js';
import { OrderQueue } from './order-queue.js';
import { OrderService } from './order.service.js';
import { WarehouseDto } from './warehouse.dto.js';

/** What the shopkeeper does while nobody may order. */
@Controller('inventory')
export class RestockController {
  constructor(
    private readonly orders: OrderService,
    private readonly queue: OrderQueue,
    private readonly closing: Closing,
  ) {}

  /** Opens these warehouses anew: this stock, no orders. */
  @Put()
  @HttpCode(204)
  async restock(@Body() { levels }: InventoryDto): Promise<void> {
    await this.orders.restock(levels);
  }

  /** Serves nobody in a warehouse for as long as the connection stays. */
  @Sse(':warehouse/closed')
  pause(@Param() { warehouse }: WarehouseDto): Observable<MessageEvent> {
    return this.queue
      .counted(warehouse, () => this.orders.pause(warehouse))
      .pipe(
        this.closing.untilThen(),
        map((data) => ({ data })),
      );
  }
}
