import { Body, Controller, Headers, Injectable, Post } from '@nestjs/common';
import { Idempotent, IdempotentHandler } from 'nest-redis-lock/idempotency';

interface Payment {
  readonly order: string;
  readonly amount: number;
}

@Injectable()
export class Payments {
  /** Charges once for each key, however often and in however many processes it is called. */
  @Idempotent('charge:<0>', { ttl: '72h', wait: '5s' })
  async charge(key: string, { order, amount }: Payment): Promise<{ id: string }> {
    const headers = { 'idempotency-key': key }; // the provider has keys of its own
    await fetch('https://pay.example/charges', { method: 'POST', headers, body: JSON.stringify({ amount }) });
    return { id: `charge of ${order}` };
  }
}

@Controller('payments')
export class PaymentsController {
  constructor(private readonly payments: Payments) {}

  @Post()
  @IdempotentHandler('pay:<user.id>:<headers.idempotency-key>')
  pay(@Headers('idempotency-key') key: string, @Body() payment: Payment): Promise<{ id: string }> {
    return this.payments.charge(key, payment);
  }
}
