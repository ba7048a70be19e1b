import { Inject, Injectable } from '@nestjs/common';
import { Ledger } from '../inventory/ledger.js';
import { OrderQueue } from '../orders/order-queue.js';
import { PaymentProvider } from '../payments/payment-provider.js';
import { PAYMENT_GATEWAY, PaymentService } from '../payments/payment.service.js';
import { SALE_LOCK } from '../flash-sale/sale.service.js';
import { StockReports } from '../reports/stock-reports.js';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';
import { FREE, type LockState, LockStates } from './lock-states.js';
import { presenceLockOf } from './presence.service.js';
import type { ReportState, Snapshot, WarehouseState } from './snapshot.js';

/** Collects the data of the page. */
@Injectable()
export class SnapshotService {
  constructor(
    private readonly ledger: Ledger,
    private readonly queue: OrderQueue,
    private readonly provider: PaymentProvider,
    private readonly reports: StockReports,
    private readonly payments: PaymentService,
    private readonly states: LockStates,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {}

  async take(): Promise<Snapshot> {
    const { processNumber, processes, redisUrl, locking } = this.settings;
    const numbers = Array.from({ length: processes }, (_, n) => n + 1);
    const { entries, balances } = await this.ledger.report();
    const names = [...new Set(entries.map(({ warehouse }) => warehouse))].toSorted();
    const [locks, present, log, report] = await Promise.all([
      this.states.look(),
      this.queue.present(),
      this.provider.log(),
      this.report(),
    ]);
    // Those who waited for it in a process that was killed are no longer in line, although they have not said so.
    const free = locking === 'fair' ? { ...FREE, queued: 0 } : FREE;
    const stateOf = (name: string): LockState => locks.get(name) ?? free;
    return {
      process: processNumber,
      locking,
      backend: redisUrl === undefined ? 'memory' : 'redis',
      processes: numbers.map((process) => ({ process, leaseMs: stateOf(presenceLockOf(process)).leaseMs })),
      warehouses: names.map((name) => ({
        warehouse: name,
        articles: entries.filter(({ warehouse }) => warehouse === name),
        ...lineOf(stateOf(ordersOf(name)), present.get(name) ?? 0),
      })),
      balances,
      books: stateOf('stock'),
      sale: stateOf(SALE_LOCK),
      gateway: { ...log, limit: this.payments.limit, inUse: stateOf(PAYMENT_GATEWAY).holders.length },
      report,
    };
  }

  private async report(): Promise<ReportState> {
    const [latest, runs] = await Promise.all([this.reports.latest(), this.reports.runs()]);
    return { latest, ticks: runs.length, mostRuns: Math.max(0, ...runs.map((tick) => tick.runs)) };
  }
}

const ordersOf = (warehouse: string): string => `orders:${warehouse}`;

/** @param present Waiting and served orders. Without a queue on the server, the holders are subtracted from it. */
function lineOf(lock: LockState, present: number): Pick<WarehouseState, 'lock' | 'waiting'> {
  return { lock, waiting: lock.queued ?? Math.max(0, present - lock.holders.length) };
}
