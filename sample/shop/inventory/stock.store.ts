import { Injectable } from '@nestjs/common';
import { ShopData } from '../data/shop-data.js';
import { type Article, articleKey, articleOf, type StockLevel } from './article.js';

/** The stock of each article. Only read and write, like the row of a table: there is no atomic "take". */
@Injectable()
export class StockStore {
  constructor(private readonly data: ShopData) {}

  /** 0 for an unknown article. */
  async read(article: Article): Promise<number> {
    return Number((await this.data.read('stock', articleKey(article))) ?? 0);
  }

  async write(level: StockLevel): Promise<void> {
    await this.data.write('stock', articleKey(level), level.stock);
  }

  async all(): Promise<readonly StockLevel[]> {
    return [...(await this.data.readAll('stock'))].map(([key, stock]) => ({ ...articleOf(key), stock: Number(stock) }));
  }

  async remove(article: Article): Promise<void> {
    await this.data.remove('stock', articleKey(article));
  }
}
