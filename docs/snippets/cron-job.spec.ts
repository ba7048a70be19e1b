import { FakeLocks, lockedOptions } from 'nest-redis-lock/testing';
import { ReportJob } from './cron-locked-cron.js';

it('is the job of one name', () => {
  expect(lockedOptions(ReportJob.prototype.run)).toMatchObject({ decorator: '@LockedCron', key: 'nightly-report' });
});

it('runs under the lock of that name', async () => {
  const locks = new FakeLocks();
  await locks.wire(new ReportJob()).run();
  expect(locks.acquired).toEqual([{ name: 'nightly-report', kind: 'reentrant' }]);
});
