export interface OrderLine {
  readonly sku: string;
  readonly quantity: number;
}

/** The wish of a buyer. */
export interface OrderRequest {
  readonly warehouse: string;
  readonly lines: readonly OrderLine[];
}

/** An order that was accepted and paid. */
export interface Order extends OrderRequest {
  readonly id: string;
  /** Consecutive number over all warehouses, from 1. */
  readonly number: number;
}
