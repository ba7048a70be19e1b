import { Controller, Get } from '@nestjs/common';
import { type ReportRuns, type StockReport, StockReports } from './stock-reports.js';

export interface ReportLog {
  readonly latest?: StockReport | undefined;
  readonly runs: readonly ReportRuns[];
}

@Controller('reports')
export class ReportController {
  constructor(private readonly reports: StockReports) {}

  @Get()
  async log(): Promise<ReportLog> {
    const [latest, runs] = await Promise.all([this.reports.latest(), this.reports.runs()]);
    return { latest, runs };
  }
}
