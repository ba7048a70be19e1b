import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { StockService } from './stock.service.js';

const PIECES = 10;
const CUSTOMERS = 30;

const start = async (): Promise<void> => {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
  const [stock, database] = [app.get(StockService), app.get(DataSource)];
  const sale = async (what: string, sell: () => Promise<boolean>): Promise<void> => {
    await database.query(
      "INSERT INTO stock (sku, pieces) VALUES ('chair', $1) ON CONFLICT (sku) DO UPDATE SET pieces = $1",
      [PIECES],
    );
    const sold = (await Promise.all(Array.from({ length: CUSTOMERS }, sell))).filter(Boolean).length;
    const [{ pieces }] = await database.query<[{ pieces: number }]>("SELECT pieces FROM stock WHERE sku = 'chair'");
    console.log(`${what}: sold ${sold} of ${PIECES} pieces, and ${pieces} are left`);
  };
  await sale('Without a lock', () => stock.sellUnlocked('chair'));
  await sale('With a lock', () => stock.sell('chair'));
  await database.destroy();
  await app.close();
};

void start();
