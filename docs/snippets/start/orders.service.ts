// src/orders.service.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';

@Injectable()
export class OrdersService {
  @Locked('order:<0>')
  async pay(orderId: string): Promise<string> {
    await sleep(3000); // stands for the payment
    return `order ${orderId} paid at ${new Date().toISOString()}\n`;
  }
}
