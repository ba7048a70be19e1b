export interface Article {
  readonly warehouse: string;
  readonly sku: string;
}

export interface StockLevel extends Article {
  readonly stock: number;
}

export const articleKey = ({ warehouse, sku }: Article): string => `${warehouse}/${sku}`;

export function articleOf(key: string): Article {
  const [warehouse = '', sku = ''] = key.split('/');
  return { warehouse, sku };
}
