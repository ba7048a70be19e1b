import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { LockedCron } from 'nest-redis-lock/schedule';
import { EVERY_TWO_SECONDS, StockReports } from './stock-reports.js';

/** Once for each tick, on one of all replicas. */
@Injectable()
export class StockReportJob {
  constructor(private readonly reports: StockReports) {}

  @LockedCron(EVERY_TWO_SECONDS, 'stock-report')
  async write(): Promise<void> {
    await this.reports.write();
  }
}

/** For each tick, on every replica. */
@Injectable()
export class EveryReplicaStockReportJob {
  constructor(private readonly reports: StockReports) {}

  @Cron(EVERY_TWO_SECONDS)
  async write(): Promise<void> {
    await this.reports.write();
  }
}
