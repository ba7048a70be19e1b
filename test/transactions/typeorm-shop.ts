import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { transactionEnd } from 'nest-redis-lock/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { sellOne } from './sales.js';
import { type GoOn, type Shop, WAIT } from './shop.js';

@Injectable()
export class TypeOrmStock {
  @Locked('stock:<0>', { wait: WAIT })
  async sell(sku: string, manager: EntityManager): Promise<void> {
    await sellOne(manager, sku);
  }

  @Locked('stock:<0>', { wait: WAIT, releaseAfter: transactionEnd() })
  async sellUntilEnd(sku: string, manager: EntityManager): Promise<void> {
    await sellOne(manager, sku);
  }
}

/** A shop with transactions of TypeORM itself. */
@Injectable()
export class TypeOrmShop implements Shop {
  constructor(
    private readonly stock: TypeOrmStock,
    private readonly database: DataSource,
  ) {}

  async untilMethodEnds(sku: string, goOn: GoOn): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.stock.sell(sku, manager);
      await goOn(manager);
    });
  }

  async untilTransactionEnds(sku: string, goOn: GoOn): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.stock.sellUntilEnd(sku, manager);
      await goOn(manager);
    });
  }

  @Locked('stock:<0>', { wait: WAIT })
  async aroundTransaction(sku: string, goOn: GoOn): Promise<void> {
    await this.untilMethodEnds(sku, goOn);
  }
}
