import { Injectable } from '@nestjs/common';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Locked, LockService } from 'nest-redis-lock';
import { start } from './applications.js';
import { Gate } from '../kit/gate.js';

const NIGHTLY = '0 3 * * *';

@Injectable()
class Reports {
  readonly busy = new Gate();
  readonly written: unknown[] = [];

  constructor(private readonly locks: LockService) {}

  @Locked('report', { onConflict: 'skip' })
  @Cron(NIGHTLY, { name: 'below', disabled: true, waitForCompletion: true })
  async below(): Promise<void> {
    await this.write();
  }

  @Cron(NIGHTLY, { name: 'above', disabled: true, waitForCompletion: true })
  @Locked('report', { onConflict: 'skip' })
  async above(): Promise<void> {
    await this.write();
  }

  private async write(): Promise<void> {
    await this.busy.pass();
    this.written.push(this.locks.currentHold()?.name);
  }
}

describe('A scheduled method', () => {
  it.each(['below', 'above'])('is locked with @Cron %s @Locked, and skipped while it still runs', async (name) => {
    const app = await start({ imports: [ScheduleModule.forRoot()], providers: [Reports] });
    const reports = app.get(Reports);
    const job = app.get(SchedulerRegistry).getCronJob(name);
    const first = job.fireOnTick();
    await reports.busy.reached;
    await job.fireOnTick();
    expect(reports.written).toEqual([]);
    reports.busy.open();
    await first;
    expect(reports.written).toEqual(['report']);
    await app.close();
  });
});
