import { Injectable, Module } from '@nestjs/common';
import { ClsPluginTransactional, TransactionHost } from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { Locked } from 'nest-redis-lock';
import { trackTransactions, transactionEnd } from 'nest-redis-lock/transactional';
import { ClsModule } from 'nestjs-cls';
import { DataSource } from 'typeorm';

@Injectable()
export class StockService {
  constructor(private readonly host: TransactionHost<TransactionalAdapterTypeOrm>) {}

  @Locked('stock:<0>', { releaseAfter: transactionEnd() })
  async take(sku: string): Promise<void> {
    await this.host.tx.query('UPDATE stock SET pieces = pieces - 1 WHERE sku = $1', [sku]);
  }
}

@Module({
  imports: [
    ClsModule.forRoot({
      plugins: [
        new ClsPluginTransactional({
          adapter: trackTransactions(new TransactionalAdapterTypeOrm({ dataSourceToken: DataSource })),
        }),
      ],
    }),
  ],
  providers: [StockService],
})
export class StockModule {}
