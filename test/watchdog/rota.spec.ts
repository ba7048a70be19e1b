import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';
import { RenewalSchedule, type ScheduleEntry } from '../../lib/watchdog/renewal-schedule.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { Rng } from '../chaos/rng.js';

const PERIOD = 1000;
const MOST = 10;

describe('A rota', () => {
  it.each([1, 2, 3, 4, 5])('has everybody come in every period, whoever comes and goes (seed %p)', async (seed) => {
    const clock = new ManualClock();
    const rota = new RenewalSchedule<{ seen: number }>(new MonotonicScheduler(clock, () => {}), PERIOD, MOST);
    const rng = new Rng(seed);
    const places = new Set<ScheduleEntry<{ seen: number }>>();
    const leave = (place: ScheduleEntry<{ seen: number }>): void => {
      rota.delete(place);
      places.delete(place);
    };
    let [longest, sizes, shares] = [0, 0, 0];
    for (let step = 0; step < 4000; step++) {
      // Now many, now few.
      const wanted = 60 + 55 * Math.sin(step / 300);
      if (rota.size < wanted) places.add(rota.add({ seen: clock.now() }));
      else for (const place of places) if (rng.next() < 0.02) leave(place);
      await clock.advance(Math.max(0, Math.min(rng.between(0, 5), rota.pause)));
      if (rota.pause > 0) continue;
      const share = rota.take();
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
  });

  it('comes once in a period with all that fit into one share', async () => {
    const clock = new ManualClock();
    const rota = new RenewalSchedule<number>(new MonotonicScheduler(clock, () => {}), PERIOD, MOST);
    for (let one = 0; one < MOST; one++) {
      rota.add(one);
      await clock.advance(1);
    }
    expect(rota.pause).toBe(PERIOD - MOST);
    await clock.advance(rota.pause);
    expect(rota.take()).toHaveLength(MOST);
    expect(rota.pause).toBe(PERIOD);
  });

  it('makes up for what is late with those who came longest ago', async () => {
    const clock = new ManualClock();
    const rota = new RenewalSchedule<number>(new MonotonicScheduler(clock, () => {}), PERIOD, MOST);
    for (let one = 0; one < 2 * MOST + 1; one++) rota.add(one);
    await clock.advance(PERIOD);
    expect(rota.take()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(rota.pause).toBeLessThanOrEqual(0);
    expect(rota.take()).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(rota.take()[0]).toBe(20);
    expect(rota.pause).toBeGreaterThan(0);
  });
});
