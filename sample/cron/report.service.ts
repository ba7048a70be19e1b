import { Injectable, Logger } from '@nestjs/common';
import { LockedCron } from 'nest-redis-lock/schedule';

@Injectable()
export class ReportService {
  private readonly logger = new Logger(ReportService.name);

  /** Runs every two seconds, on one of all processes. */
  @LockedCron('*/2 * * * * *', 'report', { holdAtLeast: '1s' })
  async report(): Promise<void> {
    this.logger.log(`Process ${process.pid} makes the report`);
  }
}
