import { Controller, NotFoundException, Param, Put } from '@nestjs/common';
import { OrderService } from '../orders/order.service.js';
import { PackingService, type Parcel } from './packing.service.js';

@Controller('orders/:id/parcel')
export class ParcelController {
  constructor(
    private readonly orders: OrderService,
    private readonly packing: PackingService,
  ) {}

  /** Picks and packs the order, unless it is already packed. */
  @Put()
  async pack(@Param('id') id: string): Promise<Parcel> {
    const order = await this.orders.find(id);
    if (order === undefined) throw new NotFoundException(`There is no order ${id}`);
    return this.packing.pack(order);
  }
}
