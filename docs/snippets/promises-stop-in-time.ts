import { Injectable } from '@nestjs/common';
import { CurrentHold, type Hold, Locked } from 'nest-redis-lock';

@Injectable()
export class Billing {
  @Locked('invoice:<0>')
  async charge(invoiceId: string, @CurrentHold() hold?: Hold): Promise<void> {
    const response = await fetch(`https://psp.example/quote/${invoiceId}`, { signal: hold?.signal ?? null });
    const quote = await response.text();
    hold?.assertHeld(); // throws LockLostError if the lock is not certainly held any more
    await fetch('https://psp.example/charges', {
      method: 'POST',
      body: quote,
      headers: { 'Idempotency-Key': invoiceId },
    });
  }
}
