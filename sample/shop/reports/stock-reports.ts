import { Inject, Injectable } from '@nestjs/common';
import { ShopData } from '../data/shop-data.js';
import { Ledger } from '../inventory/ledger.js';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';

export interface StockReport {
  /** ISO 8601. */
  readonly at: string;
  /** The number of the process that wrote it. */
  readonly process: number;
  readonly sold: number;
  readonly left: number;
  readonly balances: boolean;
}

/** How often the report was written for one tick. */
export interface ReportRuns {
  /** ISO 8601. */
  readonly tick: string;
  readonly runs: number;
}

/** The regular report of what was sold and what is left. */
@Injectable()
export class StockReports {
  constructor(
    private readonly ledger: Ledger,
    private readonly data: ShopData,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {}

  /** @param tick When the report was due, ISO 8601. */
  async write(tick: string): Promise<void> {
    await this.data.add('stock-report-runs', tick, 1);
    const { entries, balances } = await this.ledger.report();
    const report: StockReport = {
      at: new Date().toISOString(),
      process: this.settings.processNumber,
      sold: entries.reduce((total, { sold }) => total + sold, 0),
      left: entries.reduce((total, { stock }) => total + stock, 0),
      balances,
    };
    await this.data.write('stock-report', 'latest', JSON.stringify(report));
  }

  async latest(): Promise<StockReport | undefined> {
    const text = await this.data.read('stock-report', 'latest');
    return text === undefined ? undefined : (JSON.parse(text) as StockReport);
  }

  async runs(): Promise<readonly ReportRuns[]> {
    const runs = [...(await this.data.readAll('stock-report-runs'))].map(([tick, count]) => ({ tick, runs: +count }));
    return runs.toSorted((a, b) => a.tick.localeCompare(b.tick));
  }
}
