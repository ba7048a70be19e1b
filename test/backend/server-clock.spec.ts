import { ServerClock } from '../../lib/backend/redis/commands/server-clock.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';

const START = 1_700_000_000_000;

const watched = () => {
  const time = new ManualClock();
  const jumps: number[] = [];
  const clock = new ServerClock(new MonotonicScheduler(time, () => {}), (ms) => jumps.push(ms));
  /** Observes a reply of a server. Its clock is `off` ms ahead, and the reply is `age` ms old. */
  const hear = (off = 0, age = 0): void => clock.observe(START + time.now() + off - age);
  return { time, clock, jumps, hear };
};

describe('The clock of a server', () => {
  it('is estimated from its last reply, never ahead', async () => {
    const { time, clock, hear } = watched();
    hear(0, 3);
    await time.advance(1000);
    expect(clock.now()).toBe(START + 1000 - 3);
  });

  it('F33 is reported as set, forward or back, once', async () => {
    const { time, jumps, hear } = watched();
    hear();
    await time.advance(1000);
    hear(60_000);
    hear(60_000, 5);
    expect(jumps[0]).toBeCloseTo(60_000, -1);
    await time.advance(1000);
    hear();
    hear();
    expect(jumps).toHaveLength(2);
    expect(jumps[1]).toBeCloseTo(-60_000, -1);
  });

  it.each([30, -30])(
    'is not reported as set because replies are slow, or it drifts by %d ms a minute',
    async (drift) => {
      const { time, jumps, hear } = watched();
      for (let minute = 0; minute < 600; minute++) {
        hear(minute * drift, minute % 7 === 0 ? 400 : 0);
        await time.advance(60_000);
      }
      expect(jumps).toEqual([]);
    },
  );

  it('ignores a reply that is not a number', () => {
    const { clock, jumps } = watched();
    clock.observe(Number.NaN);
    expect(clock.now()).toBe(Number.NEGATIVE_INFINITY);
    expect(jumps).toEqual([]);
  });
});
