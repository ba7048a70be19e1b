export interface Article {
  readonly warehouse: string;
  readonly sku: string;
}

export interface StockLevel extends Article {
  readonly stock: number;
}

/** How many of each article are there. Deliberately no "take": only read and write, as a table row is. */
export abstract class StockStore {
  /** 0 for an article it does not know. */
  abstract read(article: Article): Promise<number>;
  abstract write(level: StockLevel): Promise<void>;
  abstract all(): Promise<readonly StockLevel[]>;
  /** Forgets all articles and starts again with these. */
  abstract replace(levels: readonly StockLevel[]): Promise<void>;
}

export const articleKey = ({ warehouse, sku }: Article): string => `${warehouse}/${sku}`;
