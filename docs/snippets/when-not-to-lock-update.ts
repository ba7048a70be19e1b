import { ConflictException, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';

@Injectable()
export class Stock {
  constructor(private readonly database: DataSource) {}

  /** No lock: the database compares and writes in one statement. */
  async take(sku: string, count: number): Promise<void> {
    const { affected } = await this.database
      .createQueryBuilder()
      .update('stock')
      .set({ count: () => 'count - :taken' })
      .where('sku = :sku AND count >= :taken', { sku, taken: count })
      .execute();
    if (affected === 0) throw new ConflictException('sold out');
  }
}
