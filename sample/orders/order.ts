export interface OrderLine {
  readonly sku: string;
  readonly quantity: number;
}

/** What a buyer asks for. */
export interface OrderRequest {
  readonly warehouse: string;
  readonly lines: readonly OrderLine[];
}

/** What the shop has promised and the buyer has paid. */
export interface Order extends OrderRequest {
  readonly id: string;
  /** The how manyth order of the shop it is. */
  readonly number: number;
}
