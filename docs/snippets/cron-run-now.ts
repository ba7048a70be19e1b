import { Controller, Post } from '@nestjs/common';
import { ReportJob } from './cron-locked-cron.js';

@Controller('reports')
export class ReportsController {
  constructor(private readonly reports: ReportJob) {}

  @Post()
  runNow(): Promise<void> {
    return this.reports.run(); // 409 while a tick runs, in any process
  }
}
