import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { RedisLockModule } from 'nest-redis-lock';
import { DataSource } from 'typeorm';
import { Shipping, StockService } from './stock.service.js';

const openDatabase = async (config: ConfigService): Promise<DataSource> => {
  const url = config.getOrThrow<string>('DATABASE_URL');
  const database = await new DataSource({ type: 'postgres', url }).initialize();
  await database.query(
    'CREATE TABLE IF NOT EXISTS stock (sku TEXT PRIMARY KEY, pieces INTEGER NOT NULL, fence BIGINT)',
  );
  return database;
};

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    RedisLockModule.forRootAsync({
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        connection: config.get<string>('REDIS_URL', 'redis://localhost:6379'),
        keyPrefix: 'transactions:',
      }),
    }),
  ],
  providers: [
    StockService,
    { provide: DataSource, inject: [ConfigService], useFactory: openDatabase },
    { provide: Shipping, useValue: { reserve: () => sleep(20) } },
  ],
})
export class AppModule {}
