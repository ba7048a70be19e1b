import { type DynamicModule, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import type { ShopSettings } from '../shop.settings.js';
import { ReportController } from './report.controller.js';
import { StockReports } from './stock-reports.js';
import { StockReportJob } from './stock-report.job.js';
import { EveryReplicaStockReportJob } from '../variants/every-replica-stock-report.job.js';

@Module({})
export class ReportsModule {
  static with({ locking }: ShopSettings, imports: DynamicModule[]): DynamicModule {
    return {
      module: ReportsModule,
      imports: [ScheduleModule.forRoot(), ...imports],
      controllers: [ReportController],
      providers: [StockReports, locking === 'off' ? EveryReplicaStockReportJob : StockReportJob],
      exports: [StockReports],
    };
  }
}
