import { SchedulerRegistry } from '@nestjs/schedule';
import type { TestingModule } from '@nestjs/testing';
import { type Scheduler, systemScheduler } from '../../lib/time/scheduler.js';

/** It has no wall clock. Leases would look at it as well, and tests of ticks change it. */
export const withoutWallClock: Scheduler = {
  now: () => systemScheduler.now(),
  schedule: (...task) => systemScheduler.schedule(...task),
};

/** Runs the job of a replica as its own clock would at this time. */
export const fireAt = (replica: TestingModule | undefined, name: string, time: string): Promise<void> => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));
  const fired = replica?.get(SchedulerRegistry).getCronJob(`LockedCron ${name}`).fireOnTick();
  now.mockRestore();
  return Promise.resolve(fired);
};
