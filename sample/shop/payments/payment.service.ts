import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Locked, LockService, type Semaphore } from 'nest-redis-lock';
import { PaymentProvider } from './payment-provider.js';

/** How many concurrent payments the contract with the provider allows, for all processes together. */
export const PAYMENTS_AT_ONCE = 5;

/** Permits of the payment gateway. */
export interface Permits {
  /** 0 if payments are not limited. */
  readonly limit: number;
  readonly inUse: number;
}

/** Charges orders: each payment takes one permit of the semaphore that all processes share. */
@Injectable()
export class PaymentService implements OnModuleInit {
  private readonly gateway: Semaphore;

  constructor(
    protected readonly provider: PaymentProvider,
    locks: LockService,
  ) {
    this.gateway = locks.getSemaphore('payment-gateway');
  }

  async onModuleInit(): Promise<void> {
    await this.gateway.trySetPermits(PAYMENTS_AT_ONCE);
  }

  @Locked('payment-gateway', { permits: 1, wait: '30s' })
  async charge(): Promise<void> {
    await this.provider.charge();
  }

  async permits(): Promise<Permits> {
    return { limit: PAYMENTS_AT_ONCE, inUse: PAYMENTS_AT_ONCE - (await this.gateway.availablePermits()) };
  }
}
