import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

/** The shop's own connections, for its data. The locks have theirs. */
@Injectable()
export class ShopRedis implements OnApplicationShutdown {
  readonly client: Redis;
  /** For commands that wait, which everything behind them waits for. */
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
