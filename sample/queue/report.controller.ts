import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ReportQueue } from './report.queue.js';

@Controller('reports')
export class ReportController {
  constructor(private readonly reports: ReportQueue) {}

  @Post(':id')
  @HttpCode(202)
  async request(@Param('id') id: string): Promise<{ accepted: string }> {
    await this.reports.request(id);
    return { accepted: id };
  }
}
