import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';

@Injectable()
export class OrderService {
  private readonly paid = new Set<string>();

  /** Pays an order once, however many requests arrive at the same time. */
  @Locked('order:<0>')
  async pay(id: string): Promise<'paid' | 'already paid'> {
    if (this.paid.has(id)) return 'already paid';
    await sleep(50); // The call of a payment provider would be here.
    this.paid.add(id);
    return 'paid';
  }
}
