import type { InventoryEntry } from '../inventory/inventory-report.js';
import type { ProviderLog } from '../payments/payment-provider.js';
import type { Permits } from '../payments/payment.service.js';
import type { StockReport } from '../reports/stock-reports.js';
import type { Locking } from '../shop.settings.js';
import type { LockState } from './lock-watch.js';

/** The shop at one moment: what its page shows. */
export interface Snapshot {
  /** Which process tells. */
  readonly process: number;
  readonly locking: Locking;
  /** Where data and locks live. */
  readonly backend: 'redis' | 'memory';
  readonly processes: readonly ProcessState[];
  readonly warehouses: readonly WarehouseState[];
  readonly balances: boolean;
  /** The read-write lock of the books. */
  readonly books: LockState;
  readonly sale: LockState;
  readonly gateway: GatewayState;
  readonly report: ReportState;
}

export interface ProcessState {
  readonly process: number;
  /** What is left of the lock that says that it lives; 0 where it does not. */
  readonly leaseMs: number;
}

export interface WarehouseState {
  readonly warehouse: string;
  readonly articles: readonly InventoryEntry[];
  readonly lock: LockState;
  readonly waiting: number;
}

export interface GatewayState extends ProviderLog, Permits {}

export interface ReportState {
  readonly latest?: StockReport | undefined;
  readonly ticks: number;
  /** How often it was written for one tick at the most. */
  readonly mostRuns: number;
}
