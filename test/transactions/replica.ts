import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClsPluginTransactional } from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { ClsModule } from 'nestjs-cls';
import { RedisLockModule } from 'nest-redis-lock';
import { trackTransactions } from 'nest-redis-lock/transactional';
import { DataSource } from 'typeorm';
import { TransactionalShop, TransactionalStock } from './transactional-shop.js';
import { TypeOrmShop, TypeOrmStock } from './typeorm-shop.js';

/** The URLs of the servers. */
export interface Servers {
  readonly redis: string;
  readonly postgres: string;
}

export const SHOPS = { '@nestjs-cls/transactional': TransactionalShop, TypeORM: TypeOrmShop } as const;
export type ShopName = keyof typeof SHOPS;
export const SHOP_NAMES = Object.keys(SHOPS) as readonly ShopName[];

/** One running copy of an application that locks on Redis and works with PostgreSQL. */
export class Replica {
  private constructor(
    readonly app: INestApplicationContext,
    readonly database: DataSource,
  ) {}

  static async start({ redis, postgres }: Servers): Promise<Replica> {
    const database = await new DataSource({ type: 'postgres', url: postgres }).initialize();

    @Module({ providers: [{ provide: DataSource, useValue: database }], exports: [DataSource] })
    class DatabaseModule {}

    const adapter = trackTransactions(new TransactionalAdapterTypeOrm({ dataSourceToken: DataSource }));
    const transactional = new ClsPluginTransactional({ imports: [DatabaseModule], adapter });

    @Module({
      imports: [
        RedisLockModule.forRoot({ connection: redis }),
        ClsModule.forRoot({ plugins: [transactional] }),
        DatabaseModule,
      ],
      providers: [TransactionalStock, TransactionalShop, TypeOrmStock, TypeOrmShop],
    })
    class ReplicaModule {}

    return new Replica(
      await NestFactory.createApplicationContext(ReplicaModule, { logger: ['error', 'warn'] }),
      database,
    );
  }

  shop(name: ShopName): TransactionalShop | TypeOrmShop {
    return this.app.get<TransactionalShop | TypeOrmShop>(SHOPS[name]);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.database.destroy();
  }
}
