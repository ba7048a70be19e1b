import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

/** The shop's own connection, for stock and orders. The locks have theirs. */
@Injectable()
export class ShopRedis implements OnApplicationShutdown {
  readonly client: Redis;
  private readonly logger = new Logger('Shop');

  constructor(url: string) {
    this.client = new Redis(url, { keyPrefix: 'shop:', connectionName: 'shop' });
    this.client.on('error', (error: Error) => this.logger.warn(`Redis: ${error.message}`));
  }

  onApplicationShutdown(): void {
    this.client.disconnect();
  }
}
