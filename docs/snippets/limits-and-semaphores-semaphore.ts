import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LockService, type Semaphore } from 'nest-redis-lock';

@Injectable()
export class GatewayService implements OnApplicationBootstrap {
  private readonly gateway: Semaphore;

  constructor(locks: LockService) {
    this.gateway = locks.getSemaphore('payment-gateway');
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.gateway.trySetPermits(10); // sets the total, unless it is set already
  }

  async charge(order: string): Promise<string> {
    return this.gateway.withPermits(1, { wait: '5s' }, () => `charged ${order}`);
  }
}
