import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { LockService } from 'nest-redis-lock';
import { LockedCron } from 'nest-redis-lock/schedule';
import { StockReports } from './stock-reports.js';

const EVERY_TWO_SECONDS = '*/2 * * * * *';

/** Once for each tick, on one of all replicas. */
@Injectable()
export class StockReportJob {
  constructor(
    private readonly reports: StockReports,
    private readonly locks: LockService,
  ) {}

  @LockedCron(EVERY_TWO_SECONDS, 'stock-report', { overlap: true })
  async write(): Promise<void> {
    // The lock is that of the tick, and its name ends with when that was due.
    const [, tick = ''] = this.locks.currentHold()?.name.split('@') ?? [];
    await this.reports.write(tick);
  }
}

/** For each tick, on every replica. */
@Injectable()
export class EveryReplicaStockReportJob {
  constructor(private readonly reports: StockReports) {}

  @Cron(EVERY_TWO_SECONDS)
  async write(): Promise<void> {
    const now = Math.round(Date.now() / 1000);
    await this.reports.write(new Date((now - (now % 2)) * 1000).toISOString());
  }
}
