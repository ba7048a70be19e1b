import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { PaymentProvider } from './payment-provider.js';

/** How many concurrent payments the contract with the provider allows, for all processes together. */
export const PAYMENTS_AT_ONCE = 5;

/** The name of the limit. */
export const PAYMENT_GATEWAY = 'payment-gateway';

/** Charges orders, with a limit for all processes. The permits of a process that dies are free when their leases end. */
@Injectable()
export class PaymentService {
  /** 0 if payments are not limited. */
  readonly limit: number = PAYMENTS_AT_ONCE;

  constructor(protected readonly provider: PaymentProvider) {}

  @Locked(PAYMENT_GATEWAY, { limit: PAYMENTS_AT_ONCE, wait: '30s' })
  async charge(): Promise<void> {
    await this.provider.charge();
  }
}
