import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { EVERY_TWO_SECONDS } from '../reports/stock-report.job.js';
import { StockReports } from '../reports/stock-reports.js';

/** The job without a lock: each replica writes the report for each tick. */
@Injectable()
export class EveryReplicaStockReportJob {
  constructor(private readonly reports: StockReports) {}

  @Cron(EVERY_TWO_SECONDS)
  async write(): Promise<void> {
    const now = Math.round(Date.now() / 1000);
    await this.reports.write(new Date((now - (now % 2)) * 1000).toISOString());
  }
}
