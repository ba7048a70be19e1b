import { Deadlines } from '../../lib/time/deadlines.js';
import { SteadyScheduler } from '../../lib/time/steady-scheduler.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';

describe('Deadlines that share a timer', () => {
  const setUp = () => {
    const clock = new ManualClock();
    const errors: unknown[] = [];
    const scheduler = new SteadyScheduler(clock, (error) => errors.push(error));
    const deadlines = new Deadlines(scheduler);
    const told: string[] = [];
    const at = (ms: number, name = `at ${ms}`) => ({ at: scheduler.now() + ms, onPassed: () => void told.push(name) });
    return { clock, errors, deadlines, told, at };
  };

  it('tell each once, when it has passed, and not who was deleted', async () => {
    const { clock, deadlines, told, at } = setUp();
    const called = at(20, 'never');
    for (const deadline of [at(100), called, at(10), at(50)]) deadlines.add(deadline);
    deadlines.delete(called);
    await clock.advance(9);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(['at 10']);
    await clock.advance(100);
    expect(told).toEqual(['at 10', 'at 50', 'at 100']);
  });

  it('are told a few milliseconds late at the most where many lie close together', async () => {
    const { clock, deadlines, told, at } = setUp();
    for (let ms = 1; ms <= 1000; ms++) deadlines.add(at(ms));
    for (let now = 1; now <= 1000; now++) {
      await clock.advance(1);
      expect(told.length).toBeLessThanOrEqual(now);
      expect(told.length).toBeGreaterThanOrEqual(now - 7);
    }
  });

  it('leave no timer behind when nothing is pending', () => {
    const { clock, deadlines, at } = setUp();
    const one = at(1000);
    deadlines.add(one);
    expect(clock.pending).toBe(1);
    deadlines.delete(one);
    expect(clock.pending).toBe(0);
  });

  it('go on although one of those who are told throws, and although a timer never fires', async () => {
    const { clock, errors, deadlines, told, at } = setUp();
    const throwing = {
      ...at(10),
      onPassed: () => {
        throw new Error('not now');
      },
    };
    deadlines.add(throwing);
    deadlines.add(at(40));
    await clock.advance(50);
    expect(errors).toHaveLength(1);
    expect(told).toEqual(['at 40']);
  });
});
