import { Deadline, DeadlineTimer, MonotonicScheduler } from '../../lib/time/scheduler.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { SteppedLoop } from '../kit/stepped-loop.js';

class Call extends Deadline {
  constructor(
    readonly at: number,
    readonly onPassed: () => void,
  ) {
    super();
  }
}

describe('Deadlines that share a timer', () => {
  const setUp = () => {
    const clock = new ManualClock();
    const errors: unknown[] = [];
    const scheduler = new MonotonicScheduler(clock, (error) => errors.push(error));
    const deadlines = new DeadlineTimer(scheduler);
    const told: string[] = [];
    const at = (ms: number, onPassed = () => void told.push(`at ${ms}`)) => new Call(scheduler.now() + ms, onPassed);
    return { clock, errors, deadlines, told, at };
  };

  const setUpLoop = () => {
    const loop = new SteppedLoop();
    const scheduler = new MonotonicScheduler(loop, () => {});
    const told: string[] = [];
    const at = (ms: number) => {
      const due = loop.now() + ms;
      return new Call(due, () => void told.push(`at ${due}`));
    };
    return { loop, deadlines: new DeadlineTimer(scheduler), told, at };
  };

  it('call each callback once, after its deadline, and not a deleted one', async () => {
    const { clock, deadlines, told, at } = setUp();
    const called = at(20);
    for (const deadline of [at(100), called, at(10), at(50)]) deadlines.add(deadline);
    deadlines.delete(called);
    await clock.advance(9);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(['at 10']);
    await clock.advance(100);
    expect(told).toEqual(['at 10', 'at 50', 'at 100']);
  });

  it('are at most a few milliseconds late if many lie close together', async () => {
    const { clock, deadlines, told, at } = setUp();
    for (let ms = 1; ms <= 1000; ms++) deadlines.add(at(ms));
    for (let now = 1; now <= 1000; now++) {
      await clock.advance(1);
      expect(told.length).toBeLessThanOrEqual(now);
      expect(told.length).toBeGreaterThanOrEqual(now - 7);
    }
  });

  it('share one timer for any number, and none after it has fired without work', async () => {
    const { clock, deadlines, told, at } = setUp();
    for (let round = 0; round < 100; round++) {
      const one = at(1000);
      deadlines.add(one);
      expect(clock.pending).toBe(1);
      await clock.advance(1);
      deadlines.delete(one);
    }
    await clock.advance(1000);
    expect(clock.pending).toBe(0);
    expect(told).toEqual([]);
  });

  it('leave no timer behind that would stay for long', () => {
    const { clock, deadlines, at } = setUp();
    const one = at(60_000);
    deadlines.add(one);
    expect(clock.pending).toBe(1);
    deadlines.delete(one);
    expect(clock.pending).toBe(0);
  });

  it('continue although a callback throws, and although a timer never fires', async () => {
    const { clock, errors, deadlines, told, at } = setUp();
    const throwing = at(10, () => {
      throw new Error('not now');
    });
    deadlines.add(throwing);
    deadlines.add(at(40));
    await clock.advance(50);
    expect(errors).toHaveLength(1);
    expect(told).toEqual(['at 40']);
  });

  it('call expired callbacks after a blocked loop, although another deadline is added before their timer fires', async () => {
    const { loop, deadlines, told, at } = setUpLoop();
    deadlines.add(at(100));
    loop.block(5000);
    // Node may handle arrived messages before the timers.
    deadlines.add(at(90_000));
    await loop.turn();
    await loop.turn();
    expect(told).toEqual(['at 100']);
    loop.block(89_999);
    await loop.turn();
    expect(told).toEqual(['at 100']);
    loop.block(1);
    await loop.turn();
    expect(told).toEqual(['at 100', 'at 95000']);
  });

  it('D71: are reported only when the sockets were read after them, and not if that has answered them', async () => {
    const { loop, deadlines, told, at } = setUpLoop();
    const [answered, unanswered] = [at(100), at(200)];
    deadlines.add(answered);
    deadlines.add(unanswered);
    loop.block(5000);
    await loop.turn(() => {
      expect(told).toEqual([]);
      expect(deadlines.delete(answered)).toBe(true);
      // Its time is over while the sockets are read, so that they are read once more.
      deadlines.add(at(50));
      loop.block(60);
    });
    expect(told).toEqual(['at 200']);
    await loop.turn(() => expect(told).toEqual(['at 200']));
    expect(told).toEqual(['at 200', 'at 5050']);
    expect(deadlines.delete(unanswered)).toBe(false);
    expect(loop.pending).toBe(0);
  });

  it('D71: are reported although the loop is blocked in each turn, in which others are added', async () => {
    const { loop, deadlines, told, at } = setUpLoop();
    deadlines.add(at(100));
    for (let turn = 0; turn < 3; turn += 1)
      await loop.turn(() => {
        loop.block(300);
        deadlines.add(at(10_000));
      });
    expect(told).toEqual(['at 100']);
  });
});
