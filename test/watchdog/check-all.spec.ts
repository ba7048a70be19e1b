import { LockEvents } from '../../lib/events/lock-events.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { Lease } from '../../lib/watchdog/lease.js';
import type { Watched } from '../../lib/watchdog/renewal-schedules.js';
import { Watchdog } from '../../lib/watchdog/watchdog.js';
import { fieldsOfHold } from './fields-of-hold.js';

const TIMEOUT = 30_000;
/** Two full batches of renewals, and one that is not full. */
const COUNT = 1250;

/** A watchdog of many holds, and the names of those that it renewed or verified. */
const watchdogOf = (count: number, isRenewed: boolean) => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  const watchdog = new Watchdog(scheduler, new LockEvents(), TIMEOUT);
  const checked: string[] = [];
  const operations: Watched['operations'] = {
    renew: async (renewals) => {
      checked.push(...renewals.map(({ name }) => name));
      return { sent: new Stopwatch(scheduler), held: renewals.map(() => true) };
    },
  };
  const names = Array.from({ length: count }, (_, index) => `n${index}`);
  for (const name of names) {
    watchdog.watch({
      operations,
      name,
      owner: 'me:1',
      method: undefined,
      heldFor: 0,
      eventFields: fieldsOfHold(name),
      loss: undefined,
      lease: new Lease(scheduler, new Stopwatch(scheduler), TIMEOUT, { onLost: () => {} }),
      neededLease: TIMEOUT,
      renewedLease: TIMEOUT,
      isEnding: false,
      keptFor: Number.POSITIVE_INFINITY,
      isRenewed,
      isBusy: false,
      verify: async () => void checked.push(name),
      checkAge: () => {},
      onRenewed: () => {},
    });
  }
  return { clock, watchdog, checked, names };
};

describe('The watchdog of a server that was unreachable', () => {
  it.each([
    ['renews', true],
    ['verifies', false],
  ])('%s every hold at once, each in one batch', async (_, isRenewed) => {
    const { clock, watchdog, checked, names } = watchdogOf(COUNT, isRenewed);
    watchdog.checkAll();
    await clock.advance(0);
    expect(checked.toSorted()).toEqual(names.toSorted());
    watchdog.stop();
  });
});
