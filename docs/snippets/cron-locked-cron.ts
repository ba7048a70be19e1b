import { Injectable, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { RedisLockModule } from 'nest-redis-lock';
import { LockedCron } from 'nest-redis-lock/schedule';

@Injectable()
export class ReportJob {
  @LockedCron('0 3 * * *', 'nightly-report', { timeZone: 'Europe/Berlin' })
  async run(): Promise<void> {}
}

@Module({
  imports: [RedisLockModule.forRoot({ keyPrefix: 'shop:lock:' }), ScheduleModule.forRoot()],
  providers: [ReportJob],
})
export class AppModule {}
