import { Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { LockedCron } from 'nest-redis-lock/schedule';
import { StockReports } from './stock-reports.js';

export const EVERY_TWO_SECONDS = '*/2 * * * * *';

/** Writes the report once for each tick, on one of all replicas. */
@Injectable()
export class StockReportJob {
  constructor(
    private readonly reports: StockReports,
    private readonly locks: LockService,
  ) {}

  @LockedCron(EVERY_TWO_SECONDS, 'stock-report', { overlap: true })
  async write(): Promise<void> {
    // The name of the tick's lock ends with the instant at which the tick was due.
    const [, tick = ''] = this.locks.currentHold()?.name.split('@') ?? [];
    await this.reports.write(tick);
  }
}
