import './fixtures/skewed-clock.js';
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Redis } from 'ioredis';
import { Locked, RedisLockModule, SingleFlight } from 'nest-redis-lock';
import { LockedCron } from 'nest-redis-lock/schedule';
import { serve } from '../servers/worker/worker-host.js';
import { flightLock, lockChannel } from '../../lib/keys/redisson-keys.js';

const [, , connection = ''] = process.argv;
const counts = new Redis(connection);

/** Longer than all replicas take for one tick, also on a busy machine, ms. */
const AT_LEAST_MS = 60_000;

const EVERY_SECOND = '* * * * * *';

/** Work that takes no time, so that only the lock keeps later replicas from a repetition. */
@Injectable()
class Reports {
  /** The number of ticks that the clock of this replica has reached. */
  ticks = 0;

  constructor(@Inject(SchedulerRegistry) private readonly registry: SchedulerRegistry) {}

  @LockedCron(EVERY_SECOND, 'cron', { overlap: true, disabled: true })
  async onTick(): Promise<void> {
    const firedAt = this.registry.getCronJob('LockedCron cron').lastDate()?.getTime() ?? Number.NaN;
    await counts.rpush('runs:cron', Math.floor(firedAt / 1000));
  }

  @Cron(EVERY_SECOND, { disabled: true })
  countTicks(): void {
    this.ticks += 1;
  }

  @Locked('report', { onConflict: 'skip', holdAtLeast: AT_LEAST_MS })
  async once(): Promise<void> {
    await counts.incr('runs:once');
  }

  @Locked('careless', { onConflict: 'skip' })
  async careless(): Promise<void> {
    await counts.incr('runs:careless');
  }
}

/** The number of replicas that listen for the result of another one: those that wait for it, or did just before. */
const waitFor = async (result: string): Promise<number> => {
  const [, listeners] = await counts.pubsub('NUMSUB', lockChannel(flightLock(result)));
  return Number(listeners);
};

@Injectable()
class Results {
  @SingleFlight('result:<0>')
  async made(of: string, others: number): Promise<{ readonly run: number; readonly pid: number }> {
    const run = await counts.incr('runs:made');
    while ((await waitFor(`result:${of}`)) < others) await sleep(5);
    return { run, pid: process.pid };
  }
}

@Module({ imports: [ScheduleModule.forRoot(), RedisLockModule.forRoot({ connection })], providers: [Reports, Results] })
class ReplicaModule {}

const opened = NestFactory.createApplicationContext(ReplicaModule, { logger: false });

/** One replica of an application. The test makes its ticks, or its own clock does. */
export const api = {
  now: async (): Promise<number> => Date.now(),
  startClock: async (): Promise<void> => {
    for (const job of (await opened).get(SchedulerRegistry).getCronJobs().values()) job.start();
  },
  /** Resolves with the number of ticks. */
  stopClock: async (): Promise<number> => {
    const app = await opened;
    for (const job of app.get(SchedulerRegistry).getCronJobs().values()) await job.stop();
    return app.get(Reports).ticks;
  },
  tick: async (job: 'once' | 'careless'): Promise<void> => {
    const app = await opened;
    await app.get(Reports)[job]();
  },
  made: async (of: string, others: number): Promise<{ readonly run: number; readonly pid: number }> =>
    (await opened).get(Results).made(of, others),
  stop: async (): Promise<void> => {
    await (await opened).close();
    counts.disconnect();
  },
};

serve(api);
