import { Body, Controller, HttpCode, type MessageEvent, Param, Put, Sse } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { InventoryDto } from '../inventory/inventory.dto.js';
import { ShutdownSignal } from '../shutdown-signal.js';
import { OrderQueue } from './order-queue.js';
import { OrderService } from './order.service.js';
import { WarehouseDto } from './warehouse.dto.js';

/** Work that stops the orders for a warehouse. */
@Controller('inventory')
export class RestockController {
  constructor(
    private readonly orders: OrderService,
    private readonly queue: OrderQueue,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /** Replaces the stock of these warehouses and deletes their orders. */
  @Put()
  @HttpCode(204)
  async restock(@Body() { levels }: InventoryDto): Promise<void> {
    await this.orders.restock(levels);
  }

  /** Closes a warehouse for as long as the connection lasts. */
  @Sse(':warehouse/closed')
  close(@Param() { warehouse }: WarehouseDto): Observable<MessageEvent> {
    return this.queue
      .counted(warehouse, () => this.orders.close(warehouse))
      .pipe(
        this.shutdown.untilShutdown(),
        map((data) => ({ data })),
      );
  }
}
