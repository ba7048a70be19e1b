import { Injectable, Logger } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import type { TestingModule } from '@nestjs/testing';
import {
  LockNotWiredError,
  LockOptionsError,
  LockService,
  LockShutdownError,
  LockUnavailableError,
} from 'nest-redis-lock';
import { LockedCron } from 'nest-redis-lock/schedule';
import { type CronTimes, tickAt } from '../../lib/integrations/schedule/scheduled-job.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { runtimeOf, start } from './applications.js';
import { fireAt, withoutWallClock } from './fired-jobs.js';
import { caught } from '../kit/caught.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

const at = (time: string): number => Date.parse(time.includes('T') ? time : `2026-03-29T${time}Z`);

@Injectable()
class Reports {
  runs: string[] = [];
  busy: Gate | undefined;

  constructor(private readonly locks: LockService) {}

  @LockedCron('0 3 * * *', 'nightly', { disabled: true, waitForCompletion: true, timeZone: 'UTC' })
  async nightly(): Promise<void> {
    this.runs.push(this.locks.currentHold()?.name ?? '');
    await this.busy?.pass();
  }

  @LockedCron('*/10 * * * * *', 'often', { overlap: true, disabled: true, waitForCompletion: true })
  async often(): Promise<void> {
    this.runs.push(this.locks.currentHold()?.name ?? '');
    await this.busy?.pass();
  }
}

describe('@LockedCron', () => {
  let server: RedisServer;
  let replicas: readonly TestingModule[];

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    const redis = connectAdmin(server.url);
    await redis.flushall();
    redis.disconnect();
    const metadata = { imports: [ScheduleModule.forRoot()], providers: [Reports] };
    const open = () => start(metadata, { connection: server.url }, withoutWallClock);
    replicas = await Promise.all([open(), open(), open()]);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  const fire = (replica: TestingModule | undefined, name: string, time: string): Promise<void> =>
    fireAt(replica, name, new Date(at(time)).toISOString());

  /** Calls the method as the schedule does, with the error that Nest's schedule would log. */
  const planned = async (replica: TestingModule, name: 'nightly' | 'often'): Promise<unknown> => {
    const { onComplete } = replica.get(SchedulerRegistry).getCronJob(`LockedCron ${name}`);
    const reports = replica.get(Reports);
    return reports[name].apply(reports, [onComplete] as unknown as []);
  };

  const runs = (): string[] => replicas.flatMap((replica) => replica.get(Reports).runs);

  it('runs a tick once, also on replicas with later clocks', async () => {
    const [one, two, three] = replicas;
    await fire(one, 'nightly', '03:00:00.012');
    await fire(two, 'nightly', '02:59:59.999');
    await fire(three, 'nightly', '03:00:41.000');
    expect(runs()).toEqual(['nightly']);
    await expect(one?.get(LockService).getLock('nightly@2026-03-29T03:00:00.000Z').isLocked()).resolves.toBe(true);
  });

  it('runs the next tick, whichever replica had the one before', async () => {
    const [one, two] = replicas;
    await fire(one, 'often', '12:00:10.003');
    await fire(two, 'often', '12:00:10.001');
    await fire(two, 'often', '12:00:20.001');
    await fire(one, 'often', '12:00:20.002');
    expect(runs()).toEqual(['often@2026-03-29T12:00:10.000Z', 'often@2026-03-29T12:00:20.000Z']);
  });

  it.each([
    ['nightly', '03:00:00.000', '2026-03-30T03:00:00.000Z', 0],
    ['often', '12:00:10.000', '2026-03-29T12:00:20.000Z', 1],
  ])('%s is left out while the tick before still runs, unless they may overlap', async (name, time, later, ran) => {
    const [one, two] = replicas;
    const busy = new Gate();
    Object.assign(one?.get(Reports) ?? {}, { busy });
    const first = fire(one, name, time);
    await busy.reached;
    await fire(two, name, later);
    expect(two?.get(Reports).runs).toHaveLength(ran);
    busy.open();
    await first;
  });

  it.each(['nightly', 'often'] as const)(
    '%s is left out, without an error, while the application ends',
    async (name) => {
      const [one] = replicas;
      if (!one) throw new Error('There is no replica');
      runtimeOf(one).shutdownController.abort(new LockShutdownError('The application is shutting down'));
      const tick: unknown = planned(one, name);
      await expect(tick).resolves.toBeUndefined();
      expect(one.get(Reports).runs).toEqual([]);
      await expect(one.get(LockService).acquire(name)).rejects.toBeInstanceOf(LockShutdownError);
    },
  );

  it('D31, D70: logs one line for a tick while Redis cannot be reached, and runs again when it can', async () => {
    await using other = await RedisServer.start();
    const metadata = { imports: [ScheduleModule.forRoot()], providers: [Reports] };
    const app = await start(metadata, { connection: other.url, commandTimeout: 300 }, withoutWallClock);
    const said: string[] = [];
    const note = (...line: unknown[]) => void said.push(line.map(String).join(' '));
    Logger.overrideLogger({ log: note, warn: note, error: note });
    try {
      await app.get(LockService).withLock('connected', () => undefined);
      await other.kill9();
      await fire(app, 'nightly', '03:00:00.012');
      await fire(app, 'often', '12:00:10.003');
      expect(said.filter((line) => !line.startsWith('Redis at'))).toEqual([
        expect.stringMatching(/^Skipped a tick of "nightly": .* LockedCron$/),
        expect.stringMatching(/^Skipped a tick of "often": .* LockedCron$/),
      ]);
      expect(said.join()).not.toContain('\n');
      await other.restart();
      await until(() =>
        app
          .get(LockService)
          .withLock('back', () => true)
          .catch(() => false),
      );
      await fire(app, 'often', '12:00:30.001');
      expect(app.get(Reports).runs).toEqual(['often@2026-03-29T12:00:30.000Z']);
    } finally {
      Logger.overrideLogger(false);
      await app.close();
    }
  });

  it('D49: skips a tick that begins when the process that has run it may have forgotten so, with one line', async () => {
    const [one, two] = replicas;
    const said: string[] = [];
    await fire(one, 'nightly', '03:00:00.001');
    // The lock of the tick is over.
    await one?.get(LockService).getLock('nightly@2026-03-29T03:00:00.000Z').forceRelease();
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((...[line]: unknown[]) => void said.push(String(line)));
    await fire(two, 'nightly', '03:01:00.001');
    await fire(two, 'nightly', '07:00:00.000');
    expect(two?.get(Reports).runs).toEqual([]);
    expect(said).toEqual([
      'Skipped a tick of "nightly": it was planned for 2026-03-29T03:00:00.000Z and is 60 s late, and another process may have run it (holdAtLeast is 60 s); to run the job now, call the method',
      expect.stringContaining('is 14400 s late'),
    ]);
    jest.restoreAllMocks();
  });

  it('D49: remembers a tick for as long as a process may begin it late, with a clock that is late', async () => {
    const [one, two] = replicas;
    await fire(one, 'nightly', '03:00:00.001');
    const lock = one?.get(LockService).getLock('nightly@2026-03-29T03:00:00.000Z');
    expect((await lock?.inspect())?.holders[0]?.remaining).toBeGreaterThan(110_000);
    await fire(two, 'nightly', '03:01:00.000');
    expect(runs()).toEqual(['nightly']);
  });

  it('D63: logs one line for many skipped ticks, and one when the job can be locked again', async () => {
    const [one, two] = replicas;
    const said: string[] = [];
    for (const level of ['log', 'error'] as const)
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((...[line]: unknown[]) => void said.push(`${level} ${String(line)}`));
    if (!one || !two) throw new Error('There is no replica');
    const { lock } = runtimeOf(one).backend;
    const acquire = jest.spyOn(lock, 'acquire');
    acquire.mockRejectedValue(new LockUnavailableError('It is away', 'not-sent', true));
    const ticks = async (replica: TestingModule, minutes: readonly number[]) => {
      for (const minute of minutes) await fire(replica, 'often', `12:${minute}:00.001`);
    };
    await ticks(one, [10, 11, 12]);
    acquire.mockRestore();
    await ticks(two, [13]);
    // This one is told that another process has run the tick.
    await ticks(one, [13, 14]);
    expect(said).toEqual([
      'error Skipped a tick of "often": It is away; further ones are skipped without a line',
      'log Ticks of "often" can be locked again; 3 were skipped',
    ]);
    jest.spyOn(lock, 'acquire').mockRejectedValue(new LockUnavailableError('It is away again', 'not-sent', true));
    await ticks(one, [15]);
    expect(said[2]).toContain('It is away again');
  });

  it.each([undefined, '', 7, { timeZone: 'UTC' }, 'report:<0>'])('D63: refuses the name %j', (name) => {
    expect(() => LockedCron('* * * * *', name as string)).toThrow(LockOptionsError);
    expect(() => LockedCron('* * * * *', name as string)).toThrow(
      "name, the second parameter of @LockedCron, must be a text without <>, such as 'nightly-report', not ",
    );
  });

  it('D31: fails with an error of its own work', async () => {
    const [one] = replicas;
    const unavailable = new LockUnavailableError('of the work', 'not-sent', false);
    Object.assign(one?.get(Reports) ?? {}, { busy: { pass: () => Promise.reject(unavailable) } });
    await expect(one && planned(one, 'often')).rejects.toBe(unavailable);
  });

  it('runs a job that is overdue when it is made, and so begins before it is registered', async () => {
    const registry = replicas[0]?.get(SchedulerRegistry);
    const job = registry?.getCronJob('LockedCron often');
    if (!registry || !job) throw new Error('There is no job');
    registry.getCronJobs().delete('LockedCron often');
    const fired = job.fireOnTick();
    registry.addCronJob('LockedCron often', job);
    await fired;
    expect(runs()).toHaveLength(1);
  });

  it('skips a job that is no longer scheduled', async () => {
    const registry = replicas[0]?.get(SchedulerRegistry);
    const job = registry?.getCronJob('LockedCron often');
    registry?.deleteCronJob('LockedCron often');
    await job?.fireOnTick();
    expect(runs()).toEqual([]);
  });

  it('passes options of @Cron on', () => {
    const options = { timeZone: 'Europe/Berlin', disabled: true, threshold: 300 };
    class Job {
      @LockedCron('0 3 * * *', 'job', options)
      async run(): Promise<void> {}
    }
    const method: unknown = Reflect.get(Job.prototype, 'run');
    const passed: unknown = Reflect.getMetadata('SCHEDULE_CRON_OPTIONS', Object(method));
    const onComplete: unknown = expect.any(Function);
    expect(passed).toEqual({ ...options, name: 'LockedCron job', cronTime: '0 3 * * *', onComplete });
  });

  it('refuses options that belong elsewhere', () => {
    expect(() => LockedCron('0 3 * * *', 'job', { name: 'j' } as object)).toThrow('it belongs in the second parameter');
    expect(() => LockedCron('0 3 * * *', 'job', { utcOffset: 60 } as object)).toThrow('it belongs in timeZone');
    expect(() => LockedCron('0 3 * * *', 'job', { timezone: 'UTC' } as object)).toThrow('did you mean "timeZone"');
  });

  it('reports a class that Nest did not instantiate', async () => {
    const reports = new Reports({} as LockService);
    expect((await caught(reports.nightly(), LockNotWiredError)).message).toContain('Reports.nightly');
  });
});

describe('The tick of a job', () => {
  const timesOf = async (expression: string, timeZone?: string) => {
    @Injectable()
    class Job {
      @LockedCron(expression, 'job', { disabled: true, ...(timeZone === undefined ? {} : { timeZone }) })
      async run(): Promise<void> {}
    }
    const app = await start({ imports: [ScheduleModule.forRoot()], providers: [Job] });
    const { cronTime } = app.get(SchedulerRegistry).getCronJob('LockedCron job');
    await app.close();
    return cronTime;
  };

  it.each([
    ['* * * * * *', 'UTC', '12:00:07.003', '12:00:07.000'],
    ['* * * * * *', 'UTC', '12:00:06.999', '12:00:07.000'],
    ['* * * * * *', 'UTC', '12:00:07.980', '12:00:07.000'],
    ['*/5 * * * *', 'UTC', '12:05:00.000', '12:05:00.000'],
    ['*/5 * * * *', 'UTC', '12:09:58.000', '12:05:00.000'],
    ['0 3 * * *', 'UTC', '03:00:00.250', '03:00:00.000'],
    ['0 3 * * *', 'UTC', '22:00:00.000', '03:00:00.000'],
    // On this day the clocks go forward there.
    ['30 3 * * *', 'Europe/Berlin', '01:30:00.100', '01:30:00.000'],
  ])('%s in %s is at %s that of %s', async (expression, timeZone, now, tick) => {
    const times = await timesOf(expression, timeZone);
    expect(new Date(tickAt(times, at(now))).toISOString()).toBe(new Date(at(tick)).toISOString());
  });

  it.each([
    // Summer time ends at the given instant.
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z'],
    ['America/St_Johns', '2026-11-01T04:30:00Z'],
    ['America/New_York', '2026-11-01T06:00:00Z'],
    ['Africa/Casablanca', '2026-02-15T02:00:00Z'],
    // It begins.
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ])('D48: is found in %s at the change of the clocks at %s', async (timeZone, change) => {
    for (const [expression, period] of [
      ['*/10 * * * * *', 10_000],
      ['* * * * *', 60_000],
      ['*/15 * * * *', 900_000],
    ] as const) {
      const times = await timesOf(expression, timeZone);
      let asked = 0;
      const getNextDateFrom = (...from: Parameters<CronTimes['getNextDateFrom']>) => {
        asked += 1;
        if (asked > 1000) throw new Error('It asks again and again');
        return times.getNextDateFrom(...from);
      };
      for (const delta of [-period - 9, -period, -period + 3, -11, -9, -1, 0, 3, 999, period - 9, period, period + 3]) {
        const now = at(change) + delta;
        // The library of cron looks at the clock, too.
        jest.spyOn(Date, 'now').mockReturnValue(now);
        asked = 0;
        const tick = tickAt({ timeZone, getNextDateFrom }, now);
        jest.restoreAllMocks();
        const planned = Math.floor((now + 10) / period) * period;
        expect([delta, new Date(tick).toISOString()]).toEqual([delta, new Date(planned).toISOString()]);
      }
    }
  });

  it('D48: ends its search when the time of the next one is not later', () => {
    let asked = 0;
    const getNextDateFrom = () => {
      asked += 1;
      if (asked > 1000) throw new Error('It asks again and again');
      return { toMillis: () => at('02:59:59') };
    };
    expect(tickAt({ getNextDateFrom }, at('03:00:00'))).toBe(at('02:59:59'));
  });

  it('is found for any delay', async () => {
    const times = await timesOf('0 0 29 2 *', 'UTC');
    expect(new Date(tickAt(times, at('12:00:00'))).toISOString()).toBe('2024-02-29T00:00:00.000Z');
  });
});
