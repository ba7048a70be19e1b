import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { transactionEnd } from 'nest-redis-lock/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

@Injectable()
export class StockService {
  @Locked('stock:<0>', { releaseAfter: transactionEnd() }) // finds the EntityManager among the arguments
  async take(sku: string, manager: EntityManager): Promise<void> {
    await manager.query('UPDATE stock SET pieces = pieces - 1 WHERE sku = $1', [sku]);
  }
}

@Injectable()
export class OrderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly stock: StockService,
  ) {}

  async order(skus: readonly string[]): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      for (const sku of skus) await this.stock.take(sku, manager);
    });
  }
}
