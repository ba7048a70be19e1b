import { Body, Controller, Headers, Post, UseInterceptors } from '@nestjs/common';
import { IdempotencyInterceptor } from '../../docs/recipes/idempotent-requests/idempotency.interceptor.js';

/** A payment provider, or a table with a unique index on the key. */
export abstract class Payments {
  /** Charges once for each key. With a key that was used before, it resolves with the first charge. */
  abstract charge(key: string, amount: number): Promise<{ id: string; amount: number }>;
}

@Controller('payments')
export class PaymentsController {
  constructor(private readonly payments: Payments) {}

  @Post()
  @UseInterceptors(IdempotencyInterceptor)
  pay(@Headers('idempotency-key') key: string, @Body() { amount }: { amount: number }) {
    return this.payments.charge(key, amount);
  }
}
