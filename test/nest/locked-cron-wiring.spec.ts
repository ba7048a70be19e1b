import { Injectable, type Provider, type Type } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { Locked, LockNotWiredError, LockOptionsError, RedisLockModule } from 'nest-redis-lock';
import { LockedCron } from 'nest-redis-lock/schedule';
import { caught } from '../kit/caught.js';
import { start } from './applications.js';
import { fireAt, withoutWallClock } from './fired-jobs.js';

const PAUSED = { disabled: true, waitForCompletion: true, timeZone: 'UTC' } as const;
const NIGHT = '2026-03-29T03:00:00.001Z';

@Injectable()
class Jobs {
  readonly ran: string[] = [];

  @LockedCron('0 3 * * *', 'bill', PAUSED)
  async bill(): Promise<void> {
    this.ran.push('bill');
  }

  @LockedCron('0 3 * * *', 'mail', PAUSED)
  async mail(): Promise<void> {
    this.ran.push('mail');
  }

  @Locked('else')
  async other(): Promise<void> {}
}

describe('D55: the class of a @LockedCron job', () => {
  it.each<[string, () => Provider]>([
    ['a class', () => Jobs],
    ['useFactory', () => ({ provide: Jobs, useFactory: () => new Jobs() })],
    ['an asynchronous useFactory', () => ({ provide: Jobs, useFactory: async () => new Jobs() })],
    ['useValue', () => ({ provide: Jobs, useValue: new Jobs() })],
    ['a frozen useValue', () => ({ provide: Jobs, useValue: Object.freeze(new Jobs()) })],
  ])('may come from %s', async (_, provider) => {
    const app = await start(
      { imports: [ScheduleModule.forRoot()], providers: [provider()] },
      undefined,
      withoutWallClock,
    );
    await fireAt(app, 'bill', NIGHT);
    await fireAt(app, 'mail', NIGHT);
    expect(app.get(Jobs).ran).toEqual(['bill', 'mail']);
    await app.get(Jobs).bill();
    expect(app.get(Jobs).ran).toHaveLength(3);
    await app.close();
  });

  it('runs in the next application as well, from the same instance', async () => {
    const jobs = new Jobs();
    for (const runs of [1, 2]) {
      const providers = [{ provide: Jobs, useValue: jobs }];
      const app = await start({ imports: [ScheduleModule.forRoot()], providers }, undefined, withoutWallClock);
      await fireAt(app, 'bill', NIGHT);
      expect(jobs.ran).toHaveLength(runs);
      await app.close();
    }
  });

  it('needs ScheduleModule, from useFactory too', async () => {
    const error = await caught(
      start({ providers: [{ provide: Jobs, useFactory: () => new Jobs() }] }),
      LockNotWiredError,
    );
    expect(error.message).toBe(
      'Jobs, an instance from useFactory or useValue, needs @LockedCron (import ScheduleModule.forRoot)',
    );
    await expect(start({ providers: [Jobs] })).rejects.toThrow('@LockedCron (import ScheduleModule.forRoot)');
  });
});

describe('D55: two @LockedCron of one name', () => {
  @Injectable()
  class Twice {
    @LockedCron('0 3 * * *', 'nightly', PAUSED)
    async bill(): Promise<void> {}

    @LockedCron('0 4 * * *', 'nightly', PAUSED)
    async mail(): Promise<void> {}
  }
  class Base {
    @LockedCron('0 3 * * *', 'nightly', PAUSED)
    async bill(): Promise<void> {}
  }
  @Injectable()
  class One extends Base {}
  @Injectable()
  class Two extends Base {}
  @Injectable()
  class Silent extends Base {
    override async bill(): Promise<void> {}
  }
  @Injectable()
  class Renamed extends Base {
    @LockedCron('0 3 * * *', 'renamed', PAUSED)
    override async bill(): Promise<void> {}
  }

  const build = async (providers: Provider[], scheduleFirst: boolean) => {
    const imports = [RedisLockModule.forRoot({ connection: 'memory' }), ScheduleModule.forRoot()];
    const app = await Test.createTestingModule({
      imports: scheduleFirst ? imports.toReversed() : imports,
      providers,
    }).compile();
    return app.init();
  };

  it.each<[string, Type[], string]>([
    ['of one class', [Twice], 'Twice.bill and Twice.mail'],
    ['of two classes', [Twice, One], 'Twice.bill and Twice.mail'],
    ['inherited by two classes', [One, Two], 'One.bill and Two.bill'],
  ])('%s are refused at the start, with both places', async (_, providers, places) => {
    for (const scheduleFirst of [false, true]) {
      const error = await caught(build(providers, scheduleFirst), LockOptionsError);
      expect(error.message).toBe(
        `${places} are both @LockedCron "nightly", so only one of them would run: give each job a name of its own`,
      );
    }
  });

  it('of instances from useFactory are refused as well', async () => {
    const providers = [{ provide: Twice, useFactory: () => new Twice() }];
    await expect(build(providers, false)).rejects.toThrow('Twice.bill and Twice.mail are both');
  });

  it('are none if a subclass overrides the method', async () => {
    const app = await build([One, Silent, Renamed], false);
    const jobs = [...app.get(SchedulerRegistry).getCronJobs().keys()];
    expect(jobs).toEqual(['LockedCron nightly', 'LockedCron renamed']);
    await app.close();
  });

  it('are none in two applications', async () => {
    const apps = [await build([One], false), await build([Two], false)];
    for (const app of apps) {
      expect(app.get(SchedulerRegistry).getCronJobs().size).toBe(1);
      await app.close();
    }
  });
});
