import { Injectable } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import type { TestingModule } from '@nestjs/testing';
import { LockConflictError, LockService } from 'nest-redis-lock';
import { LockedCron } from 'nest-redis-lock/schedule';
import { FakeLocks } from 'nest-redis-lock/testing';
import { Gate } from '../kit/gate.js';
import { start } from './applications.js';
import { fireAt, withoutWallClock } from './fired-jobs.js';

@Injectable()
class Reports {
  readonly runs: (string | undefined)[] = [];
  busy: Gate | undefined;

  constructor(private readonly locks: LockService) {}

  @LockedCron('0 3 * * *', 'nightly', { timeZone: 'UTC', disabled: true, waitForCompletion: true })
  async nightly(_reason?: string): Promise<string> {
    this.runs.push(this.locks.currentHold()?.name);
    await this.busy?.pass();
    return 'done';
  }

  @LockedCron('0 3 * * *', 'parallel', { timeZone: 'UTC', disabled: true, waitForCompletion: true, overlap: true })
  async parallel(): Promise<string> {
    this.runs.push(this.locks.currentHold()?.name);
    await this.busy?.pass();
    return 'done';
  }
}

describe('D56: a @LockedCron method called by hand', () => {
  let app: TestingModule;
  let reports: Reports;

  beforeEach(async () => {
    app = await start({ imports: [ScheduleModule.forRoot()], providers: [Reports] }, undefined, withoutWallClock);
    reports = app.get(Reports);
  });

  afterEach(async () => {
    await app.close();
  });

  const tick = (name: string): Promise<void> => fireAt(app, name, '2026-03-29T03:00:00.001Z');

  it.each([
    ['nightly', 'nightly'],
    ['parallel', undefined],
  ] as const)('%s runs each time, and returns its result', async (name, held) => {
    await expect(reports[name]()).resolves.toBe('done');
    await expect(reports[name]()).resolves.toBe('done');
    expect(reports.runs).toEqual([held, held]);
  });

  it.each(['nightly', 'parallel'] as const)(
    '%s is no tick: the next one runs, and is no reason not to run',
    async (name) => {
      await reports[name]();
      await tick(name);
      await reports[name]();
      expect(reports.runs).toHaveLength(3);
    },
  );

  it('is refused while a tick runs, with an error for its caller', async () => {
    reports.busy = new Gate();
    const running = tick('nightly');
    await reports.busy.reached;
    await expect(reports.nightly()).rejects.toBeInstanceOf(LockConflictError);
    reports.busy.open();
    await running;
    expect(reports.runs).toHaveLength(1);
  });

  it('keeps a tick from running beside it, unless they may overlap', async () => {
    reports.busy = new Gate();
    const running = reports.nightly('by hand');
    await reports.busy.reached;
    await tick('nightly');
    expect(reports.runs).toHaveLength(1);
    reports.busy.open();
    await running;
  });

  it('runs although the job is not in the schedule', async () => {
    app.get(SchedulerRegistry).deleteCronJob('LockedCron nightly');
    await expect(reports.nightly()).resolves.toBe('done');
  });

  it('runs in a unit test without Nest', async () => {
    const locks = new FakeLocks();
    const alone = locks.wire(new Reports(locks));
    await expect(alone.nightly()).resolves.toBe('done');
    expect(locks.lockedCalls()).toMatchObject([{ names: ['nightly'] }]);
  });
});
