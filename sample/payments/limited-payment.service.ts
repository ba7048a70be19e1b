import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Locked, LockService, type Semaphore } from 'nest-redis-lock';
import { PaymentProvider } from './payment-provider.js';
import { PaymentService, type Permits } from './payment.service.js';

/** What the contract with the provider allows at once, to all processes together. */
export const PAYMENTS_AT_ONCE = 5;

/** The same service, each payment with one of the permits that there are for the whole shop. */
@Injectable()
export class LimitedPaymentService extends PaymentService implements OnModuleInit {
  private readonly gateway: Semaphore;

  constructor(provider: PaymentProvider, locks: LockService) {
    super(provider);
    this.gateway = locks.getSemaphore('payment-gateway');
  }

  async onModuleInit(): Promise<void> {
    await this.gateway.trySetPermits(PAYMENTS_AT_ONCE);
  }

  @Locked('payment-gateway', { permits: 1, wait: '30s' })
  override async charge(): Promise<void> {
    await super.charge();
  }

  override async permits(): Promise<Permits> {
    return { limit: PAYMENTS_AT_ONCE, inUse: PAYMENTS_AT_ONCE - (await this.gateway.availablePermits()) };
  }
}
