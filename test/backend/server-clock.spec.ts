import { ServerClock } from '../../lib/backend/commands/server-clock.js';
import { withDeadline } from '../../lib/backend/connection/with-deadline.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { SuspendedClock } from '../holds/suspended-clock.js';

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

describe('D44: after the machine was suspended, the age of a message', () => {
  const setUp = () => {
    const machine = new SuspendedClock();
    const scheduler = new MonotonicScheduler(machine, () => {});
    const clock = new ServerClock(scheduler);
    /** Observes the reply to a command, which came by the pace of the network only, at this time of the server. */
    const hear = (serverNow: number, waited = 2): void => clock.observe(serverNow, scheduler.now(), waited);
    return { machine, scheduler, clock, hear };
  };

  it('counts the suspension that it waited for', async () => {
    const { machine, clock, hear } = setUp();
    hear(START);
    await machine.advance(1000);
    machine.suspend(10_000);
    expect(clock.longestSince(START + 1000)).toBeGreaterThanOrEqual(10_000);
    expect(clock.longestSince(START + 1000)).toBeLessThan(10_150);
  });

  it('counts it although replies came since that had waited for it as well', async () => {
    const { machine, scheduler, clock, hear } = setUp();
    hear(START);
    await machine.advance(1000);
    const answers: ((serverNow: number) => void)[] = [];
    const sent = () =>
      withDeadline(new Promise<number>((answer) => answers.push(answer)), 5000, scheduler, {
        name: 'order:1',
        read: (serverNow, now, waited) => clock.observe(serverNow, now, waited),
      });
    const commands = [sent(), sent()];
    machine.suspend(10_000);
    for (const answer of answers) answer(START + 1000);
    await Promise.all(commands);
    expect(clock.longestSince(START + 1000)).toBeGreaterThanOrEqual(10_000);
  });

  it('is exact again with the next reply, also if the wall clock was set forward and not suspended', async () => {
    const { machine, clock, hear } = setUp();
    hear(START);
    machine.suspend(3_600_000);
    await machine.advance(1000);
    hear(START + 1000);
    await machine.advance(500);
    expect(clock.longestSince(START + 1000)).toBeGreaterThanOrEqual(500);
    expect(clock.longestSince(START + 1000)).toBeLessThan(510);
  });
});
