import { Injectable } from '@nestjs/common';
import { type Article, articleKey, type StockLevel, StockStore } from './stock.store.js';

/** Stock in this process, for a shop of one. */
@Injectable()
export class MemoryStockStore extends StockStore {
  private readonly levels = new Map<string, StockLevel>();

  override async read(article: Article): Promise<number> {
    return this.levels.get(articleKey(article))?.stock ?? 0;
  }

  override async write(level: StockLevel): Promise<void> {
    this.levels.set(articleKey(level), level);
  }

  override async all(): Promise<readonly StockLevel[]> {
    return [...this.levels.values()];
  }

  override async replace(levels: readonly StockLevel[]): Promise<void> {
    this.levels.clear();
    for (const level of levels) this.levels.set(articleKey(level), level);
  }
}
