import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';

interface Order {
  readonly id: string;
  readonly customer: { readonly id: number };
}

@Injectable()
export class OrderService {
  @Locked('order:<0>') // waits for up to 10 s
  async pay(orderId: string): Promise<string> {
    return `paid ${orderId}`;
  }

  @Locked('customer:<0.customer.id>', { wait: '3s', maxHold: '2m' })
  async ship(order: Order): Promise<string> {
    return `shipped ${order.id}`;
  }

  @Locked('refresh-rates', { onConflict: 'skip' }) // another process refreshes: do nothing
  async refreshRates(): Promise<void> {}
}
