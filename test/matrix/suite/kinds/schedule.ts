import assert from 'node:assert/strict';
import { Inject, Injectable, type Type } from '@nestjs/common';
import { Cron, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import { Locked } from 'nest-redis-lock';
import { blank, type Cells, inBothPositions } from '../cell.js';
import { checkFree } from '../exclusion.js';
import { ConcurrencyProbe } from '../concurrency-probe.js';
import { type ApplicationUnderTest, withContext } from '../application.js';
import { until } from '../until.js';

const EVERY_SECOND = '* * * * * *';
/** Shorter than a call, so that calls would overlap. */
const SOON_MS = 10;
/** Longer than a run. */
const LATER_MS = 1_000_000;
const CALLS = 4;

/** Scheduled methods have no arguments, so their keys have none. */
@Injectable()
class CronReports {
  constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
    probe.register(this);
  }

  @Locked('order:1')
  @Cron(EVERY_SECOND, { name: 'above' })
  async above(): Promise<void> {
    await this.probe.work('above');
  }

  @Cron(EVERY_SECOND, { name: 'below' })
  @Locked('order:2')
  async below(): Promise<void> {
    await this.probe.work('below');
  }

  @Cron(EVERY_SECOND, { name: 'unlocked' })
  async unlocked(): Promise<void> {
    await this.probe.work('unlocked');
  }
}

type Timer = typeof Interval | typeof Timeout;

const timedReports = (At: Timer, wanted: string): Type => {
  const due = (name: string): number => (name === wanted ? SOON_MS : LATER_MS);

  @Injectable()
  class TimedReports {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:1')
    @At(due('above'))
    async above(): Promise<void> {
      await this.probe.work('above');
    }

    @At(due('below'))
    @Locked('order:2')
    async below(): Promise<void> {
      await this.probe.work('below');
    }

    @At(due('unlocked'))
    async unlocked(): Promise<void> {
      await this.probe.work('unlocked');
    }
  }
  return TimedReports;
};

/** Creates a class for each call, because `@Timeout` calls each instance once. */
const instancesOf = (reports: Type): Type[] => Array.from({ length: CALLS }, () => class extends reports {});

const LOCKS = { above: 1, below: 2 } as const;

const checkCalls = async ({ probe, locks }: ApplicationUnderTest, position: keyof typeof LOCKS): Promise<void> => {
  await until('all are done', () => probe.isIdle && probe.calls.length >= CALLS);
  const expected = { argument: position, held: `order:${LOCKS[position]}` };
  assert.deepEqual(
    probe.calls,
    probe.calls.map(() => expected),
    'runs under its lock',
  );
  assert.equal(probe.peak, 1, 'calls do not overlap');
  await checkFree(locks, LOCKS[position]);
};

const checkCron = (position: keyof typeof LOCKS): Promise<void> =>
  withContext({ imports: [ScheduleModule.forRoot()], providers: [CronReports] }, async (tested) => {
    const { probe } = tested;
    const registry = tested.app.get(SchedulerRegistry);
    await until('the clock has called it', () => probe.calls.some(({ argument }) => argument === position));
    for (const job of registry.getCronJobs().values()) await job.stop();
    await until('all are done', () => probe.isIdle);
    // Starts several calls at once, as the clocks of several machines do.
    const fire = async (name: string): Promise<void> => {
      probe.calls = [];
      probe.peak = 0;
      const job = registry.getCronJob(name);
      await Promise.all(Array.from({ length: CALLS }, () => job.fireOnTick()));
      await until('all have come', () => probe.calls.length === CALLS);
    };
    await fire('unlocked');
    assert.ok(probe.peak > 1, 'without a lock calls overlap');
    await until('all are done', () => probe.isIdle);
    await fire(position);
    await checkCalls(tested, position);
  });

const runTimed = (At: Timer, name: string, check: (tested: ApplicationUnderTest) => Promise<void>): Promise<void> => {
  const providers = instancesOf(timedReports(At, name));
  return withContext({ imports: [ScheduleModule.forRoot()], providers }, async (tested) => {
    await until('it was called several times', () => tested.probe.calls.length >= CALLS);
    const registry = tested.app.get(SchedulerRegistry);
    for (const interval of registry.getIntervals()) registry.deleteInterval(interval);
    await check(tested);
  });
};

const checkTimed =
  (At: Timer) =>
  async (position: keyof typeof LOCKS): Promise<void> => {
    await runTimed(At, 'unlocked', async ({ probe }) => assert.ok(probe.peak > 1, 'without a lock calls overlap'));
    await runTimed(At, position, (tested) => checkCalls(tested, position));
  };

const STATIC = '@nestjs/schedule calls methods of singletons only, and says so when the application starts.';

export const cells: Cells = [
  ...inBothPositions('@Cron', 'singleton', checkCron),
  blank('@Cron', 'request', STATIC),
  blank('@Cron', 'transient', STATIC),
  ...inBothPositions('@Interval', 'singleton', checkTimed(Interval)),
  blank('@Interval', 'request', STATIC),
  blank('@Interval', 'transient', STATIC),
  ...inBothPositions('@Timeout', 'singleton', checkTimed(Timeout)),
  blank('@Timeout', 'request', STATIC),
  blank('@Timeout', 'transient', STATIC),
];
