import { Injectable } from '@nestjs/common';
import { Propagation, Transactional, TransactionHost } from '@nestjs-cls/transactional';
import type { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { Locked } from 'nest-redis-lock';
import { transactionEnd } from 'nest-redis-lock/transactional';
import { sellOne } from './sales.js';
import { type GoOn, type Shop, WAIT } from './shop.js';

@Injectable()
export class TransactionalStock {
  constructor(private readonly host: TransactionHost<TransactionalAdapterTypeOrm>) {}

  @Locked('stock:<0>', { wait: WAIT })
  async sell(sku: string): Promise<void> {
    await sellOne(this.host.tx, sku);
  }

  @Locked('stock:<0>', { wait: WAIT, releaseAfter: transactionEnd() })
  async sellUntilEnd(sku: string): Promise<void> {
    await sellOne(this.host.tx, sku);
  }

  @Transactional(Propagation.Nested)
  async sellInSavepoint(sku: string): Promise<void> {
    await this.sellUntilEnd(sku);
  }

  @Transactional(Propagation.RequiresNew)
  async sellOnItsOwn(sku: string): Promise<void> {
    await this.sellUntilEnd(sku);
  }
}

/** A shop with `@Transactional` of @nestjs-cls/transactional. */
@Injectable()
export class TransactionalShop implements Shop {
  constructor(
    private readonly stock: TransactionalStock,
    private readonly host: TransactionHost<TransactionalAdapterTypeOrm>,
  ) {}

  @Transactional()
  async untilMethodEnds(sku: string, goOn: GoOn): Promise<void> {
    await this.stock.sell(sku);
    await goOn(this.host.tx);
  }

  @Transactional()
  async untilTransactionEnds(sku: string, goOn: GoOn): Promise<void> {
    await this.stock.sellUntilEnd(sku);
    await goOn(this.host.tx);
  }

  @Locked('stock:<0>', { wait: WAIT })
  @Transactional()
  async aroundTransaction(sku: string, goOn: GoOn): Promise<void> {
    await this.stock.sell(sku);
    await goOn(this.host.tx);
  }
}
