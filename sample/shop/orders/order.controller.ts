import { Body, Controller, Get, NotFoundException, Param, Post } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { OrderDto } from './order.dto.js';
import { OrderQueue } from './order-queue.js';
import type { Order } from './order.js';
import { OrderService } from './order.service.js';

@Controller('orders')
export class OrderController {
  constructor(
    private readonly orders: OrderService,
    private readonly queue: OrderQueue,
  ) {}

  /** 201 with the order, 409 if the stock does not suffice. */
  @Post()
  place(@Body() request: OrderDto): Observable<Order> {
    return this.queue.counted(request.warehouse, () => this.orders.place(request));
  }

  @Get(':id')
  async find(@Param('id') id: string): Promise<Order> {
    const order = await this.orders.find(id);
    if (order === undefined) throw new NotFoundException(`There is no order ${id}`);
    return order;
  }
}
