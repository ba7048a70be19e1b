// src/orders.ts
import { Controller, Injectable, Param, Post } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';

@Injectable()
export class OrdersService {
  @Locked('order:<0>') // <0> is the first argument
  async pay(orderId: string): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 3000)); // stands for the payment
    return `order ${orderId} paid at ${new Date().toISOString()}\n`;
  }
}

@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post(':id/pay')
  pay(@Param('id') id: string): Promise<string> {
    return this.orders.pay(id);
  }
}
