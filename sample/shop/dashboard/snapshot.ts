import type { InventoryEntry } from '../inventory/inventory-report.js';
import type { ProviderLog } from '../payments/payment-provider.js';
import type { StockReport } from '../reports/stock-reports.js';
import type { Locking } from '../shop.settings.js';
import type { LockState } from './lock-states.js';

/** The state of the shop at one moment, as the page shows it. */
export interface Snapshot {
  /** The number of the process that answers. */
  readonly process: number;
  readonly locking: Locking;
  /** The place of data and locks. */
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
  /** The remaining lease of the lock of the process; 0 if the process does not run. */
  readonly leaseMs: number;
}

export interface WarehouseState {
  readonly warehouse: string;
  readonly articles: readonly InventoryEntry[];
  readonly lock: LockState;
  readonly waiting: number;
}

export interface GatewayState extends ProviderLog {
  /** 0 if payments are not limited. */
  readonly limit: number;
  /** The permits that are in use. */
  readonly inUse: number;
}

export interface ReportState {
  readonly latest?: StockReport | undefined;
  readonly ticks: number;
  /** The largest number of reports for one tick. */
  readonly mostRuns: number;
}
