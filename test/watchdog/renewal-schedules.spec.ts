import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { RenewalSchedules, type Watched } from '../../lib/watchdog/renewal-schedules.js';

const TIMEOUT = 30_000;
const PERIOD = TIMEOUT / 3;
const MOST = 10;

describe('The schedules of renewals', () => {
  const start = () => {
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, () => {});
    const schedules = new RenewalSchedules(scheduler, TIMEOUT, MOST);
    const add = (hold: Watched): boolean => schedules.add(hold, scheduler.now());
    const pause = (): number => schedules.pause(scheduler.now());
    return { clock, schedules, add, pause };
  };

  /** The fields of a hold that decide when it is renewed. */
  const holdOf = (renewedLease: number): Watched => ({ renewedLease }) as unknown as Watched;

  it('have nothing due without holds', () => {
    const { schedules, pause } = start();
    expect(pause()).toBe(Number.POSITIVE_INFINITY);
    expect(schedules.takeDue()).toEqual([]);
    expect([...schedules]).toEqual([]);
  });

  it('take each hold within a third of the lease that it is renewed with', async () => {
    const { clock, schedules, add, pause } = start();
    const [usual, short] = [holdOf(TIMEOUT), holdOf(3000)];
    add(usual);
    add(short);
    expect([schedules.size, pause()]).toEqual([2, 1000]);
    await clock.advance(1000);
    expect(schedules.takeDue()).toEqual([{ holds: [short], period: 1000 }]);
    await clock.advance(PERIOD - 1000);
    expect(schedules.takeDue()).toEqual([
      { holds: [usual], period: PERIOD },
      { holds: [short], period: 1000 },
    ]);
  });

  it('have the next batch sooner only if a hold adds a batch to its own schedule', () => {
    const { add } = start();
    const added = (lease: number, times: number): boolean[] => Array.from({ length: times }, () => add(holdOf(lease)));
    expect(added(TIMEOUT, MOST)).toEqual([true, ...Array<boolean>(MOST - 1).fill(false)]);
    expect(added(3000, 2)).toEqual([true, false]);
    expect(added(TIMEOUT, 1)).toEqual([true]);
  });

  it('forget a hold that is deleted, and the schedule of a lease that no other hold has', async () => {
    const { clock, schedules, add, pause } = start();
    const [usual, short] = [holdOf(TIMEOUT), holdOf(3000)];
    add(usual);
    add(short);
    schedules.delete(short);
    schedules.delete(short);
    expect([...schedules]).toEqual([usual]);
    expect(pause()).toBe(PERIOD);
    await clock.advance(1000);
    // A new schedule, whose period starts now.
    add(short);
    expect(pause()).toBe(1000);
    schedules.delete(usual);
    schedules.delete(short);
    expect([schedules.size, pause()]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  it('know whether a hold is in the schedule of its lease, which may change', () => {
    const { schedules, add } = start();
    const hold = { renewedLease: TIMEOUT };
    const watched = hold as unknown as Watched;
    expect(schedules.isInPlace(watched)).toBe(false);
    add(watched);
    expect(schedules.isInPlace(watched)).toBe(true);
    hold.renewedLease = 3000;
    expect(schedules.isInPlace(watched)).toBe(false);
    schedules.delete(watched);
    add(watched);
    expect(schedules.isInPlace(watched)).toBe(true);
    expect(schedules.size).toBe(1);
  });
});
