import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { RenewalSchedule, type ScheduleEntry } from '../../lib/watchdog/renewal-schedules.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { Rng } from '../chaos/rng.js';

const PERIOD = 1000;
const MOST = 10;

describe('A renewal schedule', () => {
  it.each([1, 2, 3, 4, 5])(
    'takes every entry once per period, while others are added and deleted (seed %p)',
    async (seed) => {
      const clock = new ManualClock();
      const schedule = new RenewalSchedule<{ seen: number }>(new MonotonicScheduler(clock, () => {}), PERIOD, MOST);
      const rng = new Rng(seed);
      const entries = new Set<ScheduleEntry<{ seen: number }>>();
      const remove = (entry: ScheduleEntry<{ seen: number }>): void => {
        schedule.delete(entry);
        entries.delete(entry);
      };
      let [longest, sizes, shares] = [0, 0, 0];
      for (let step = 0; step < 4000; step++) {
        // The number of entries rises and falls.
        const wanted = 60 + 55 * Math.sin(step / 300);
        if (schedule.size < wanted) entries.add(schedule.add({ seen: clock.now() }));
        else for (const entry of entries) if (rng.next() < 0.02) remove(entry);
        await clock.advance(Math.max(0, Math.min(rng.between(0, 5), schedule.pause())));
        if (schedule.pause() > 0) continue;
        const share = schedule.take();
        expect(share.length).toBeLessThanOrEqual(MOST);
        for (const one of share) {
          longest = Math.max(longest, clock.now() - one.seen);
          one.seen = clock.now();
        }
        sizes += share.length;
        shares += 1;
      }
      expect(longest).toBeGreaterThan(0);
      expect(longest).toBeLessThanOrEqual(PERIOD + 0.01);
      expect(sizes / shares).toBeGreaterThan(0.6 * MOST);
    },
  );

  it('takes all entries at once, once per period, if they fit into one batch', async () => {
    const clock = new ManualClock();
    const schedule = new RenewalSchedule<number>(new MonotonicScheduler(clock, () => {}), PERIOD, MOST);
    for (let one = 0; one < MOST; one++) {
      schedule.add(one);
      await clock.advance(1);
    }
    expect(schedule.pause()).toBe(PERIOD - MOST);
    await clock.advance(schedule.pause());
    expect(schedule.take()).toHaveLength(MOST);
    expect(schedule.pause()).toBe(PERIOD);
  });

  it('takes overdue entries first, those that were taken longest ago before the others', async () => {
    const clock = new ManualClock();
    const schedule = new RenewalSchedule<number>(new MonotonicScheduler(clock, () => {}), PERIOD, MOST);
    for (let one = 0; one < 2 * MOST + 1; one++) schedule.add(one);
    await clock.advance(PERIOD);
    expect(schedule.take()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(schedule.pause()).toBeLessThanOrEqual(0);
    expect(schedule.take()).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(schedule.take()[0]).toBe(20);
    expect(schedule.pause()).toBeGreaterThan(0);
  });
});
