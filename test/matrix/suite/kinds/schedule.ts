import assert from 'node:assert/strict';
import { Inject, Injectable, type Type } from '@nestjs/common';
import { Cron, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import { Locked } from 'nest-redis-lock';
import { blank, type Cells, inBothPositions } from '../cell.js';
import { checkFree } from '../exclusion.js';
import { Room } from '../room.js';
import { type Stage, withContext } from '../stage.js';
import { until } from '../until.js';

const EVERY_SECOND = '* * * * * *';
/** Sooner than a visit ends, so that calls would overlap. */
const SOON_MS = 10;
/** Not within a run. */
const LATER_MS = 1_000_000;
const CALLS = 4;

/** Scheduled methods have no arguments, so their keys have none. */
@Injectable()
class CronReports {
  constructor(@Inject(Room) private readonly room: Room) {
    room.meet(this);
  }

  @Locked('order:1')
  @Cron(EVERY_SECOND, { name: 'above' })
  async above(): Promise<void> {
    await this.room.visit('above');
  }

  @Cron(EVERY_SECOND, { name: 'below' })
  @Locked('order:2')
  async below(): Promise<void> {
    await this.room.visit('below');
  }

  @Cron(EVERY_SECOND, { name: 'unlocked' })
  async unlocked(): Promise<void> {
    await this.room.visit('unlocked');
  }
}

type Timer = typeof Interval | typeof Timeout;

const timedReports = (At: Timer, wanted: string): Type => {
  const due = (name: string): number => (name === wanted ? SOON_MS : LATER_MS);

  @Injectable()
  class TimedReports {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:1')
    @At(due('above'))
    async above(): Promise<void> {
      await this.room.visit('above');
    }

    @At(due('below'))
    @Locked('order:2')
    async below(): Promise<void> {
      await this.room.visit('below');
    }

    @At(due('unlocked'))
    async unlocked(): Promise<void> {
      await this.room.visit('unlocked');
    }
  }
  return TimedReports;
};

/** So many, since a `@Timeout` calls each instance once. */
const instancesOf = (reports: Type): Type[] => Array.from({ length: CALLS }, () => class extends reports {});

const LOCKS = { above: 1, below: 2 } as const;

const checkVisits = async ({ room, locks }: Stage, position: keyof typeof LOCKS): Promise<void> => {
  await until('all are done', () => room.isEmpty && room.visits.length >= CALLS);
  const expected = { argument: position, held: `order:${LOCKS[position]}` };
  assert.deepEqual(
    room.visits,
    room.visits.map(() => expected),
    'runs under its lock',
  );
  assert.equal(room.peak, 1, 'calls do not overlap');
  await checkFree(locks, LOCKS[position]);
};

const checkCron = (position: keyof typeof LOCKS): Promise<void> =>
  withContext({ imports: [ScheduleModule.forRoot()], providers: [CronReports] }, async (stage) => {
    const { room } = stage;
    const registry = stage.app.get(SchedulerRegistry);
    await until('the clock has called it', () => room.visits.some(({ argument }) => argument === position));
    for (const job of registry.getCronJobs().values()) await job.stop();
    await until('all are done', () => room.isEmpty);
    // At once what the clock would do a second apart, or on several machines.
    const fire = async (name: string): Promise<void> => {
      room.visits = [];
      room.peak = 0;
      const job = registry.getCronJob(name);
      await Promise.all(Array.from({ length: CALLS }, () => job.fireOnTick()));
      await until('all have come', () => room.visits.length === CALLS);
    };
    await fire('unlocked');
    assert.ok(room.peak > 1, 'without a lock calls overlap');
    await until('all are done', () => room.isEmpty);
    await fire(position);
    await checkVisits(stage, position);
  });

const runTimed = (At: Timer, name: string, check: (stage: Stage) => Promise<void>): Promise<void> => {
  const providers = instancesOf(timedReports(At, name));
  return withContext({ imports: [ScheduleModule.forRoot()], providers }, async (stage) => {
    await until('it was called several times', () => stage.room.visits.length >= CALLS);
    const registry = stage.app.get(SchedulerRegistry);
    for (const interval of registry.getIntervals()) registry.deleteInterval(interval);
    await check(stage);
  });
};

const checkTimed =
  (At: Timer) =>
  async (position: keyof typeof LOCKS): Promise<void> => {
    await runTimed(At, 'unlocked', async ({ room }) => assert.ok(room.peak > 1, 'without a lock calls overlap'));
    await runTimed(At, position, (stage) => checkVisits(stage, position));
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
