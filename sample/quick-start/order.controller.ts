import { Controller, Param, Post } from '@nestjs/common';
import { OrderService } from './order.service.js';

@Controller('orders')
export class OrderController {
  constructor(private readonly orders: OrderService) {}

  @Post(':id/pay')
  async pay(@Param('id') id: string): Promise<{ result: string }> {
    return { result: await this.orders.pay(id) };
  }
}
