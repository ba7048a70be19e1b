import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

/** Connections for the data of the shop. The locks have connections of their own. */
@Injectable()
export class ShopRedis implements OnApplicationShutdown {
  readonly client: Redis;
  /** For blocking commands, which delay all later commands on their connection. */
  readonly waiting: Redis;
  private readonly logger = new Logger('Shop');

  constructor(
    url: string,
    readonly keyPrefix: string,
  ) {
    this.client = new Redis(url, { connectionName: 'shop' });
    this.waiting = this.client.duplicate();
    for (const client of [this.client, this.waiting]) {
      client.on('error', (error: Error) => this.logger.warn(`Redis: ${error.message}`));
    }
  }

  onApplicationShutdown(): void {
    this.client.disconnect();
    this.waiting.disconnect();
  }
}
