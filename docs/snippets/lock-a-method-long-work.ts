import { Injectable } from '@nestjs/common';
import { CurrentHold, type Hold, Locked } from 'nest-redis-lock';

@Injectable()
export class PaymentService {
  @Locked('order:<0>')
  async charge(orderId: string, @CurrentHold() hold?: Hold): Promise<void> {
    await fetch(`https://bank.example/check/${orderId}`, { signal: hold?.signal ?? null });
    hold?.assertHeld(); // throws LockLostError if the lock was lost
    await fetch(`https://bank.example/charge/${orderId}`, { method: 'POST' });
  }
}
